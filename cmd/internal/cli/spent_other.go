//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package cli

import "time"

// started is when the program began.
var started = time.Now()

// spent is the time that the program has had.
func spent() time.Duration { return time.Since(started) }
