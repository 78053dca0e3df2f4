// Package workers runs the code of others: it opens targets, and runs jobs that call them, so that
// what a target does wrong ends one job with an error and nothing else.
//
// A target may panic, or end its goroutine by runtime.Goexit, as testing's FailNow does. [Run] turns
// both into the job's error and goes on with the other jobs; [Check] ends a job between two calls of a
// target. [Open] and [NewValues] refuse targets that no sampler could use. Errors begin with the name
// of the package that called.
package workers
