//go:build !unix

// Package processor tells how much processor time an example has used.
package processor

import "time"

var began = time.Now()

// Time is the time on the clock since the start, in seconds, where no other is known.
func Time() float64 { return time.Since(began).Seconds() }
