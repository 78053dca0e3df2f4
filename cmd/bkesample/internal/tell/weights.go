package tell

import (
	"fmt"
	"strings"

	"bayeskernel/cmd/bkesample/internal/input"
)

// WeightsSummary is the record of the weights in summary.json.
type WeightsSummary struct {
	Column        string   `json:"column"`
	EffectiveRows []number `json:"effective_rows"` // 1/sum w² in each sample
}

// weightsRecord is what summary.json says of the weights; nil without them.
func weightsRecord(d *input.Dataset) *WeightsSummary {
	w := d.Weights
	if w == nil {
		return nil
	}
	s := &WeightsSummary{Column: w.Column, EffectiveRows: numbers(w.Effective[:1])}
	if d.Q != nil {
		s.EffectiveRows = numbers(w.Effective[:])
	}
	return s
}

// weightsSentence says which weights there are, and what they are worth.
func weightsSentence(d *input.Dataset) string {
	w := d.Weights
	n, _ := d.P.Dims()
	parts := []string{fmt.Sprintf("%s has %s effective rows of %d", d.PName,
		Figures(w.Effective[0]), n)}
	if d.Q != nil {
		n, _ = d.Q.Dims()
		parts = append(parts, fmt.Sprintf("%s has %s of %d", d.QName, Figures(w.Effective[1]), n))
	}
	return fmt.Sprintf("Rows are weighted by column %s: %s.", w.Column, strings.Join(parts, ", "))
}

// WeightsOfWitness says what the weights are for where a witness is shown; nothing without them.
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

// WeightsOfLearning says that weights do nothing where nothing but a kernel is learned.
func WeightsOfLearning(d *input.Dataset) []string {
	if d.Weights == nil {
		return nil
	}
	return []string{fmt.Sprintf("The weights of column %s do not enter the likelihood: the kernel is "+
		"learned from the rows as they are.", d.Weights.Column)}
}

// WeightsOfTest says what the weights do to a test; nothing without them.
func WeightsOfTest(d *input.Dataset) []string {
	if d.Weights == nil {
		return nil
	}
	return []string{weightsSentence(d) + " Permutations exchange rows together with their weights: " +
		"the test is exact if row and weight together have the same distribution in both samples, " +
		"but not if the weights depend on the sample."}
}
