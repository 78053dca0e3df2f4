//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
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
	units, err := unitsOf("P", []string{filepath.Join(dir, "p*.csv")})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(must(os.ReadFile(out)), pool(t, plan, units)) {
		t.Error("the job started again leaves other bytes")
	}
}
