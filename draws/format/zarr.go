package format

import (
	"os"
	"path/filepath"

	"bayeskernel/draws"
	"bayeskernel/draws/zarr"
	"bayeskernel/internal/atomicfile"
)

// zarrFolder is a folder, which is written whole.
type zarrFolder struct{}

const zarrName = "draws.zarr"

func (zarrFolder) Name() string { return "zarr" }

func (zarrFolder) Open(string, *draws.Run, int) (Stream, error) { return nil, nil }

func (f zarrFolder) Write(dir string, run *draws.Run) error {
	return zarr.Write(f.path(dir), run, zarr.Options{})
}

func (f zarrFolder) Owns(name string) bool {
	return name == zarrName || name == zarrName+atomicfile.Part
}

func (f zarrFolder) Tidy(dir string, chains int) error {
	if chains > 0 {
		return nil // there is one, whatever the number of chains
	}
	return os.RemoveAll(f.path(dir))
}

func (zarrFolder) path(dir string) string { return filepath.Join(dir, zarrName) }
