package tests

import (
	"fmt"

	"bayeskernel/cmd/internal/input"
)

// AdmitBlocks rejects blocks of which none has rows of both samples. It runs before anything that
// takes long; column is that of -blocks.
func AdmitBlocks(d *input.Dataset, column string) error {
	if d.Blocks == nil || d.Q == nil {
		return nil
	}
	n, _ := d.P.Dims()
	of := map[int]bool{}
	for _, b := range d.Blocks[:n] {
		of[b] = true
	}
	for _, b := range d.Blocks[n:] {
		if of[b] {
			return nil
		}
	}
	return fmt.Errorf("%s: no value of column %q is in both samples, and -blocks %s exchanges rows between the "+
		"samples within its values: want a column such as the patient, the day or the stratum", d.Source, column,
		column)
}
