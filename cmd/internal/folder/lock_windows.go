package folder

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lock takes the lock of f without waiting; it reports false if another process holds it. The
// system releases it when f is closed or the process ends, for whatever reason.
func lock(f *os.File) (bool, error) {
	// A byte far past the end, because others must be able to read what is locked.
	at := windows.Overlapped{OffsetHigh: 1}
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return false, nil
	}
	return false, err
}
