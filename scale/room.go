package main

import (
	"fmt"
	"os"
	"runtime"

	"bayeskernel/frame"
)

// handles are the files and connections that a job in this process has open at a time at most: those that Beam makes
// from the process to itself, and the stretches that are read side by side. With fewer it may wait for ever.
const handles = 64

// refuseHandles returns an error if not so many files can be open beside those that are.
func refuseHandles(want int) error {
	var opened []*os.File
	defer func() {
		for _, f := range opened {
			f.Close()
		}
	}()
	for range want {
		f, err := os.Open(os.DevNull)
		if err != nil {
			return fmt.Errorf("only %d more files can be open here at a time (%w), want %d: raise that limit (ulimit -n)",
				len(opened), bare(err), want)
		}
		opened = append(opened, f)
	}
	return nil
}

// A Go program sets aside addresses that it does not use, for its heap and for each thread; the rest is memory for Beam.
const (
	addresses       = 1.8e9
	threadAddresses = 75e6
	moreThreads     = 6
)

// refuseAddresses returns an error if the process may have fewer addresses than it sets aside, 0 for no limit.
func refuseAddresses(limit int64) error {
	want := int64(addresses + threadAddresses*float64(runtime.GOMAXPROCS(0)+moreThreads))
	if limit == 0 || limit >= want {
		return nil
	}
	return fmt.Errorf("a process may have %s of addresses here (ulimit -v), want at least %s, not all of which is memory",
		frame.Size(limit), frame.Size(want))
}
