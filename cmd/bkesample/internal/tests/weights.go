package tests

import (
	"fmt"
	"strings"

	"bayeskernel/cmd/internal/input"
	"bayeskernel/cmd/internal/report"
)

// WeightsRecord is the record of the weights in summary.json.
type WeightsRecord struct {
	Column        string          `json:"column" doc:"The column of the weights."`
	EffectiveRows []report.Number `json:"effective_rows" doc:"The effective number of rows of each sample, 1/sum w²."`
}

// NewWeightsRecord is the part of summary.json on the weights; nil without weights.
func NewWeightsRecord(d *input.Dataset) *WeightsRecord {
	w := d.Weights
	if w == nil {
		return nil
	}
	s := &WeightsRecord{Column: w.Column, EffectiveRows: report.Numbers(w.Effective[:1])}
	if d.Q != nil {
		s.EffectiveRows = report.Numbers(w.Effective[:])
	}
	return s
}

// weightsSentence describes the weights and the effective sample sizes.
func weightsSentence(d *input.Dataset) string {
	w := d.Weights
	n, _ := d.P.Dims()
	parts := []string{fmt.Sprintf("%s has %s effective rows of %d", d.PName,
		report.Figures(w.Effective[0]), n)}
	if d.Q != nil {
		n, _ = d.Q.Dims()
		parts = append(parts, fmt.Sprintf("%s has %s of %d", d.QName, report.Figures(w.Effective[1]), n))
	}
	return fmt.Sprintf("Rows are weighted by column %s: %s.", w.Column, strings.Join(parts, ", "))
}

// WeightsOfWitness says how the weights affect the witness; nothing without weights.
func WeightsOfWitness(d *input.Dataset) []string {
	what := "witness and its bands"
	if d.Q == nil {
		what = "mean embedding and its band"
	}
	if d.Weights == nil {
		return nil
	}
	return []string{fmt.Sprintf("%s The weights enter the %s; the kernel is learned from the rows as "+
		"they are.", weightsSentence(d), what)}
}

// WeightsOfLearning says that weights have no effect if only a kernel is learned.
func WeightsOfLearning(d *input.Dataset) []string {
	if d.Weights == nil {
		return nil
	}
	return []string{fmt.Sprintf("The weights of column %s do not enter the likelihood: the kernel is "+
		"learned from the rows as they are.", d.Weights.Column)}
}

// WeightsOfTest says how the weights affect a test; nothing without weights.
func WeightsOfTest(d *input.Dataset) []string {
	if d.Weights == nil {
		return nil
	}
	return []string{weightsSentence(d) + " Permutations exchange rows together with their weights: " +
		"the test is exact if row and weight together have the same distribution in both samples, " +
		"but not if the weights depend on the sample."}
}
