//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A job that is killed in the middle leaves no summary, and one that is started again leaves the bytes of
// the pool. What holds the job in the middle is a pipe in the place of a file, half of which is written.
func TestKilled(t *testing.T) {
	dir, plan, _ := job(t, 5, 40000)
	file := filepath.Join(dir, "p2.csv")
	text := must(os.ReadFile(file))
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(file, 0o666); err != nil {
		t.Skipf("no pipe can be made: %v", err)
	}
	c := start(t, dir)
	pipe := must(os.OpenFile(file, os.O_RDWR, 0))
	// Longer than a pipe holds: the job reads when this ends.
	must(pipe.Write(text[:len(text)/2]))
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err == nil {
		t.Fatal("the job was not killed")
	}
	pipe.Close()
	out := filepath.Join(dir, "out.sum")
	if _, err := os.Stat(out); err == nil {
		t.Fatal("a job that was killed left a summary")
	}
	os.Remove(file)
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := start(t, dir).Wait(); err != nil {
		t.Fatal(err)
	}
	units := must(unitsOf(t.Context(), "P", []string{filepath.Join(dir, "p*.csv")}))
	if !bytes.Equal(must(os.ReadFile(out)), pool(t, plan, units)) {
		t.Error("the job started again leaves other bytes")
	}
}

// program is this one in a process of its own, for a job in dir.
func program(dir string) *exec.Cmd {
	c := exec.Command(os.Args[0], "-plan", filepath.Join(dir, "plan.json"), "-out", filepath.Join(dir, "out.sum"), filepath.Join(dir, "p*.csv"))
	c.Env = append(os.Environ(), "SCALE_AS=program")
	return c
}

// A job that is interrupted says so in a sentence, and leaves no file, empty or not.
func TestInterrupted(t *testing.T) {
	dir, _, _ := job(t, 3, 40000)
	file := filepath.Join(dir, "p2.csv")
	text := must(os.ReadFile(file))
	os.Remove(file)
	if err := syscall.Mkfifo(file, 0o666); err != nil {
		t.Skipf("no pipe can be made: %v", err)
	}
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		c := program(dir)
		var said bytes.Buffer
		c.Stderr = &said
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		pipe := must(os.OpenFile(file, os.O_RDWR, 0))
		must(pipe.Write(text[:len(text)/2])) // longer than a pipe holds: the job reads when this ends
		if made, _ := filepath.Glob(filepath.Join(dir, "out.sum.*.job")); len(made) != 1 {
			t.Errorf("the job writes %q", made)
		}
		if err := c.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait()
		pipe.Close()
		if code := c.ProcessState.ExitCode(); code != 130 || said.String() != "scale: interrupted, no summary was written\n" {
			t.Errorf("%v: exit %d, %q", sig, code, &said)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "out*")); len(left) > 0 {
			t.Errorf("%v left %q", sig, left)
		}
	}
}

// Where a job would wait for ever, or the system ends it, it is refused in a line.
func TestRefused(t *testing.T) {
	dir, _, _ := job(t, 2, 100)
	c := program(dir)
	c.Args = append([]string{"sh", "-c", `ulimit -n 16 && exec "$0" "$@"`}, c.Args...)
	c.Path = must(exec.LookPath("sh"))
	out, _ := c.CombinedOutput()
	if code := c.ProcessState.ExitCode(); code != 1 || !strings.HasPrefix(string(out), "scale: only ") || bytes.Count(out, []byte("\n")) != 1 {
		t.Errorf("with few files: exit %d, %q", code, out)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "out*")); len(left) > 0 {
		t.Errorf("with few files: left %q", left)
	}
	// The runtime itself ends under a low limit, sometimes before this program begins.
	for limit, want := range map[int64]bool{0: false, 1e9: true, 1 << 50: false} {
		if err := refuseAddresses(limit); (err != nil) != want {
			t.Errorf("with %d bytes of addresses: %v", limit, err)
		}
	}
}

// Prism runs as a server of its own, and starts this program as a worker process. The worker is killed in the
// middle of the job: the program starts the job again, which ends in the bytes of the pool. In one of four tries
// or so Prism does not notice the loss and waits for ever (its Control chooses by chance between the end of the
// stream and that of the context, and only the latter ends what the worker was given): those are tried again.
func TestWorkerKilled(t *testing.T) {
	const tries = 8
	for range tries {
		if loseWorker(t) {
			return
		}
	}
	t.Skipf("Prism did not notice in %d tries that a worker was lost", tries)
}

// loseWorker reports whether the job went on to its end.
func loseWorker(t *testing.T) bool {
	dir, plan, _ := job(t, 5, 40000)
	in := func(name string) string { return filepath.Join(dir, name) }
	text := must(os.ReadFile(in("p2.csv")))
	want := pool(t, plan, must(unitsOf(t.Context(), "P", []string{in("p*.csv")})))
	os.Remove(in("p2.csv"))
	if err := syscall.Mkfifo(in("p2.csv"), 0o666); err != nil {
		t.Skipf("no pipe can be made: %v", err)
	}
	l := must(net.Listen("tcp", "localhost:0"))
	address := l.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	l.Close()
	as := func(env []string, args ...string) *exec.Cmd {
		c := exec.Command(os.Args[0], args...)
		c.Env = append(os.Environ(), env...)
		c.WaitDelay = time.Second // workers may hold what it writes to
		return c
	}
	server := as([]string{"SCALE_AS=prism", "SCALE_PORT=" + port})
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		server.Process.Kill()
		server.Wait()
	}()
	within(t, "the job server does not answer", func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	environment := string(must(json.Marshal(map[string]any{"command": must(os.Executable()),
		"env": map[string]string{"SCALE_AS": "worker", "SCALE_WORKERS": in("workers")}})))
	var said bytes.Buffer
	program := as([]string{"SCALE_AS=program"}, "-runner", "universal", "-endpoint", address, "-environment_type",
		"PROCESS", "-environment_config", environment, "-plan", in("plan.json"), "-out", in("out.sum"), in("p*.csv"))
	program.Stderr = &said
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	defer program.Process.Kill()
	pids := func() []string {
		b, _ := os.ReadFile(in("workers"))
		return strings.Fields(string(b))
	}
	within(t, "no worker was started", func() bool { return len(pids()) > 0 })
	pipe := must(os.OpenFile(in("p2.csv"), os.O_RDWR, 0))
	defer pipe.Close()
	// Longer than a pipe holds: a worker reads when this ends.
	must(pipe.Write(text[:len(text)/2]))
	os.Remove(in("p2.csv"))
	if err := os.WriteFile(in("p2.csv"), text, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(must(strconv.Atoi(pids()[0])), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- program.Wait() }()
	for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("%v: %s", err, &said)
			}
		default:
			if time.Since(begun) > patience {
				if len(pids()) > 1 {
					t.Fatal("the job was started again and does not end")
				}
				program.Process.Kill()
				<-ended
				return false
			}
			continue
		}
		break
	}
	if len(pids()) != 2 {
		t.Errorf("%d workers, want one that is killed and one after it", len(pids()))
	}
	if !bytes.Equal(must(os.ReadFile(in("out.sum"))), want) {
		t.Error("other bytes than those of the pool")
	}
	if !strings.Contains(said.String(), "is started again") || strings.Count(said.String(), "\n") != 1 {
		t.Errorf("the program says %q", &said)
	}
	return true
}

// patience is how long the test waits for what takes a second or two.
const patience = 30 * time.Second

// within waits.
func within(t *testing.T, otherwise string, done func() bool) {
	t.Helper()
	for begun := time.Now(); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Since(begun) > patience {
			t.Fatal(otherwise)
		}
	}
}
