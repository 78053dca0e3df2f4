package kept

import (
	"fmt"

	"bayeskernel/cmd/internal/folder"
	"bayeskernel/draws"
	"bayeskernel/draws/cmdstan"
)

// WriteDraws writes the draws of a run into a folder, a file base_1.csv, base_2.csv, … for each chain, and returns the paths.
// The folder knows of the files before they are begun, so that none is left if the disk is full.
func WriteDraws(dir *folder.Folder, base string, run *draws.Run) ([]string, error) {
	var names []string
	for k := range run.Chains {
		names = append(names, fmt.Sprintf("%s_%d.csv", base, k+1))
	}
	if err := dir.Paths(names...); err != nil {
		return nil, err
	}
	return cmdstan.Write(dir.Dir, base, run, cmdstan.Options{})
}
