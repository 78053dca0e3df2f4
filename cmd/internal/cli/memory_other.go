//go:build !linux

package cli

// addressLimit is how many bytes of addresses the process may have, 0 for any number: unknown here.
func addressLimit() int64 { return 0 }

// available is the memory that is free, 0 if unknown, as here.
func available() int64 { return 0 }
