package zarr_test

import (
	"fmt"
	"os"
	"path/filepath"

	"bayeskernel/draws"
	"bayeskernel/draws/zarr"
)

// A run of two chains becomes a folder that xarray and ArviZ read. Dims gives the dimension of a vector
// a name and labels.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	row := []float64{1.5, 0.2, -0.2}
	chain := draws.Chain{Values: [][]float64{row, row}, Stats: make([]draws.Stat, 2)}
	run := &draws.Run{Names: []string{"mu", "alpha[1]", "alpha[2]"}, Chains: []draws.Chain{chain, chain}}
	err = zarr.Write(filepath.Join(dir, "new", "run.zarr"), run, zarr.Options{Dims: map[string][]zarr.Dim{
		"alpha": {{Name: "feed", Size: 2, Names: []string{"horsebean", "linseed"}}}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	arrays, err := filepath.Glob(filepath.Join(dir, "new", "run.zarr", "posterior", "*"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range arrays {
		if name := filepath.Base(a); name[0] != '.' {
			fmt.Println(name)
		}
	}
	// Output:
	// alpha
	// chain
	// draw
	// feed
	// mu
}
