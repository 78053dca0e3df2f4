package format

import (
	"path/filepath"

	"bayeskernel/draws"
	"bayeskernel/draws/zarr"
)

// zarrFolder is a folder. It can only be written whole.
type zarrFolder struct{}

const zarrName = "draws.zarr"

func (zarrFolder) Name() string { return "zarr" }

func (zarrFolder) Open(string, *draws.Run, int) (Stream, error) { return nil, nil }

func (zarrFolder) Write(dir string, run *draws.Run) error {
	return zarr.Write(filepath.Join(dir, zarrName), run, zarr.Options{})
}

func (zarrFolder) Files(int) []string { return []string{zarrName} }
