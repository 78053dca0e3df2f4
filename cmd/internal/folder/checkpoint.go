package folder

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"bayeskernel/internal/atomicfile"
	"bayeskernel/internal/journal"
)

// checkpointMagic is at the start of every checkpoint, whatever its name.
const checkpointMagic = "bayeskernel checkpoint "

// findCheckpoint returns the newest checkpoint in a folder, "" if there is none.
func findCheckpoint(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	best, newest := "", int64(0)
	for _, e := range entries {
		info, err := e.Info()
		_, unfinished := atomicfile.Target(e.Name())
		if err != nil || !info.Mode().IsRegular() || unfinished || strings.HasSuffix(e.Name(), ".part.part") {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if t := info.ModTime().UnixNano(); (best == "" || t > newest) && isCheckpoint(path) {
			best, newest = path, t
		}
	}
	return best
}

// isCheckpoint reports whether a file starts like a checkpoint.
func isCheckpoint(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	b := make([]byte, max(len(checkpointMagic), len(journal.Start(unitsAbout))))
	n, err := io.ReadFull(f, b)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false
	}
	b = b[:n]
	return bytes.HasPrefix(b, []byte(checkpointMagic)) || bytes.HasPrefix(b, []byte(journal.Start(unitsAbout)))
}
