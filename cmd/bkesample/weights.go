package main

import (
	"fmt"
	"slices"
	"strings"

	"bayeskernel/embedding"
	"bayeskernel/internal/table"
)

// rowWeights are the weights of the rows of one sample or two.
type rowWeights struct {
	column string
	// given are the weights over the largest of both samples: a test moves weights from one sample
	// to the other with their rows, so they keep one scale.
	given [2][]float64
	// ofSample are the weights divided by their sum in each sample.
	ofSample  [2][]float64
	effective [2]float64 // numbers of rows, 1/sum w² of ofSample
}

// weightsSummary is the record of the weights in summary.json.
type weightsSummary struct {
	Column        string   `json:"column"`
	EffectiveRows []number `json:"effective_rows"` // 1/sum w² in each sample
}

const (
	// A smaller share of the largest weight leaves the range of the tests' arithmetic.
	leastWeight = 1e-40
	// A sample whose weights leave less to all rows but one has no variance.
	leastBeside = 1e-12
)

// newRowWeights normalises the weights; from says where each sample is from.
func newRowWeights(column string, samples [][]float64, from [2]string) (*rowWeights, error) {
	w := &rowWeights{column: column}
	largest := 0.0
	for _, s := range samples {
		largest = max(largest, slices.Max(s))
	}
	for k, s := range samples {
		sum := 0.0
		w.given[k], w.ofSample[k] = make([]float64, len(s)), make([]float64, len(s))
		for i, v := range s {
			w.given[k][i] = v / largest
			if v/largest < leastWeight {
				return nil, fmt.Errorf("%s: row %d, column %q: the weight is %g, want at least %g of "+
					"the largest, which is %g", from[k], i+1, column, v, leastWeight, largest)
			}
			sum += v / largest
		}
		square, heaviest := 0.0, 0
		for i, v := range w.given[k] {
			w.ofSample[k][i] = v / sum
			square += v / sum * (v / sum)
			if v > w.given[k][heaviest] {
				heaviest = i
			}
		}
		if len(s) > 1 && 1-square < leastBeside {
			return nil, fmt.Errorf("%s: row %d, column %q: the weight %g is all the weight of the "+
				"sample, want weight on at least 2 rows", from[k], heaviest+1, column, s[heaviest])
		}
		w.effective[k] = 1 / square
	}
	return w, nil
}

// weightsOf collects the weights of samples that were read.
func (d *dataset) weightsOf(tables []*table.Table) error {
	first := tables[0]
	if first.Weights == nil {
		return nil
	}
	samples := [][]float64{first.Weights}
	switch {
	case len(tables) == 2:
		samples = append(samples, tables[1].Weights)
	case d.q != nil:
		samples = inSamples(first.Weights, first.Labels, d.pName)
	}
	var err error
	d.weights, err = newRowWeights(first.Weight, samples, d.from)
	return err
}

// inSamples parts what rows of a labelled file have: those of one label, and the others.
func inSamples[T any](values []T, labels []string, label string) [][]T {
	parts := make([][]T, 2)
	for i, v := range values {
		k := 1
		if labels[i] == label {
			k = 0
		}
		parts[k] = append(parts[k], v)
	}
	return parts
}

// weightsRecord is what summary.json says of the weights; nil without them.
func weightsRecord(d *dataset) *weightsSummary {
	w := d.weights
	if w == nil {
		return nil
	}
	s := &weightsSummary{Column: w.column, EffectiveRows: numbers(w.effective[:1])}
	if d.q != nil {
		s.EffectiveRows = numbers(w.effective[:])
	}
	return s
}

// weightsSentence says which weights there are, and what they are worth.
func weightsSentence(d *dataset) string {
	w := d.weights
	n, _ := d.p.Dims()
	parts := []string{fmt.Sprintf("%s has %s effective rows of %d", d.pName,
		figures(w.effective[0]), n)}
	if d.q != nil {
		n, _ = d.q.Dims()
		parts = append(parts, fmt.Sprintf("%s has %s of %d", d.qName, figures(w.effective[1]), n))
	}
	return fmt.Sprintf("Rows are weighted by column %s: %s.", w.column, strings.Join(parts, ", "))
}

// weightsOfWitness says what the weights are for where a witness is shown; nothing without them.
func weightsOfWitness(d *dataset) []string {
	what := "witness and its bands"
	if d.q == nil {
		what = "mean embedding and its band"
	}
	if d.weights == nil {
		return nil
	}
	return []string{fmt.Sprintf("%s The weights enter the %s; the kernel is learned from the rows as "+
		"they are.", weightsSentence(d), what)}
}

// weightsOfLearning says that weights do nothing where nothing but a kernel is learned.
func weightsOfLearning(d *dataset) []string {
	if d.weights == nil {
		return nil
	}
	return []string{fmt.Sprintf("The weights of column %s do not enter the likelihood: the kernel is "+
		"learned from the rows as they are.", d.weights.column)}
}

// weightsOfTest says what the weights do to a test; nothing without them.
func weightsOfTest(d *dataset) []string {
	if d.weights == nil {
		return nil
	}
	return []string{weightsSentence(d) + " Permutations exchange rows together with their weights: " +
		"the test is exact if row and weight together have the same distribution in both samples, " +
		"but not if the weights depend on the sample."}
}

// sample is sample k of a data set, 0 or 1, with its weights.
func (s *study) sample(k int) embedding.Sample {
	out := embedding.Sample{X: s.p}
	if k == 1 {
		out.X = s.q
	}
	if w := s.data.weights; w != nil {
		out.Weights = w.ofSample[k]
	}
	return out
}

// fewestRows is the effective number of rows of the smaller sample.
func (s *study) fewestRows() float64 {
	if w := s.data.weights; w != nil {
		if s.q == nil {
			return w.effective[0]
		}
		return min(w.effective[0], w.effective[1])
	}
	n, _ := s.p.Dims()
	if s.q != nil {
		k, _ := s.q.Dims()
		n = min(n, k)
	}
	return float64(n)
}

// fewestWords writes the effective number of rows of a sample of d.
func fewestWords(d *dataset, n float64) string {
	if d.weights != nil {
		return figures(n) + " effective rows"
	}
	return plural(int(n), "row")
}
