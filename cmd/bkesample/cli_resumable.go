package main

import "context"

// resumable is how a run ends that can be gone on with. Its text ends with a command, so that
// nothing may follow it.
type resumable struct{ msg string }

func (e *resumable) Error() string { return e.msg }
func (e *resumable) Unwrap() error { return context.Canceled }
