package fit

import (
	"bayeskernel/cmd/internal/folder"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/cmd/nuts/internal/kept"
)

// kept are the files that nuts predict, loo and compare go on from: all parameters of the program that was sampled,
// what was fitted, and how well each row is predicted.
func (j *job) kept(dir *folder.Folder, text string) ([]report.File, error) {
	if _, err := kept.WriteDraws(dir, kept.Program, j.posterior); err != nil {
		return nil, err
	}
	rows := [][]float64{j.reg.Y}
	if j.reg.Weighted() { // densities to the power of weights are compared with such alone
		rows = append(rows, j.reg.Weights())
	}
	return kept.Files(dir.Dir, j.file, len(j.posterior.Chains), kept.Run{Command: "fit", Formula: text, Family: j.reg.Family, Priors: j.table.Priors, Levels: j.table.Levels,
		Missing: j.table.Missing, Rows: kept.HashRows(rows...), Seed: j.seed, Ended: j.ended}, j.loo)
}
