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
		names = append(names, chainFile(base, k))
	}
	if err := dir.Paths(names...); err != nil {
		return nil, err
	}
	return cmdstan.Write(dir.Dir, base, run, cmdstan.Options{})
}

// chainFile is the name of the file with the draws of a chain, counted from 0.
func chainFile(base string, chain int) string { return fmt.Sprintf("%s_%d.csv", base, chain+1) }
