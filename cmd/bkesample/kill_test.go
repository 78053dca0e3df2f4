//go:build unix

package main

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// A worker of a loop over shards that is killed in the middle leaves no summary, and the loop that goes on
// where it was leaves the bytes of one process. What holds the worker in the middle is a pipe in the place of
// its shard, half of which is written.
func TestKilledWorker(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the program many times")
	}
	bin := build(t, t.TempDir())
	files := shardFiles()
	files["big.csv"] = "x\n" + strings.Repeat("0.125\n1.5\n-0.75\n", 30000)
	inFolder(t, files)
	must(t, "", "plan", "p*.csv", "-inputs", "8", "-bins", "16", "-out", "plan.json")
	if err := os.Rename("big.csv", "whole.csv"); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo("big.csv", 0o666); err != nil {
		t.Skipf("no pipe can be made: %v", err)
	}
	c := exec.Command(bin, "summarize", "-plan", "plan.json", "big.csv", "-out", "big.sum")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.OpenFile("big.csv", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	text := files["big.csv"]
	if _, err := pipe.WriteString(text[:len(text)/2]); err != nil { // more than a pipe holds
		t.Fatal(err)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err == nil {
		t.Fatal("the worker was not killed")
	}
	pipe.Close()
	if _, err := os.Stat("big.sum"); err == nil {
		t.Fatal("a worker that was killed left a summary")
	}
	os.Remove("big.csv")
	os.Rename("whole.csv", "big.csv")
	must(t, "", "summarize", "-plan", "plan.json", "big.csv", "-out", "big.sum")
	must(t, "", "summarize", "-plan", "plan.json", "p*.csv", "-out", "p.sum")
	one := must(t, "", "summarize", "-plan", "plan.json", "-j", "3", "p*.csv", "big.csv")
	if must(t, "", "merge", "p.sum", "big.sum") != one {
		t.Error("the loop started again leaves other bytes")
	}
}
