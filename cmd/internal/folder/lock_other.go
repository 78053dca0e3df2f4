//go:build !darwin && !dragonfly && !freebsd && !linux && !netbsd && !openbsd && !windows

package folder

import "os"

// lock does nothing where the system has no lock that ends with its process.
func lock(*os.File) (bool, error) { return true, nil }
