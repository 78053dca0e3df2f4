//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package cli

import (
	"syscall"
	"time"
)

// spent is the time that the processors have given the program.
func spent() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
