//go:build !unix

package main

import "time"

var began = time.Now()

// processorTime is the time since the start where no other is known.
func processorTime() float64 { return time.Since(began).Seconds() }
