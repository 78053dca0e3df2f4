package svm

import (
	"bytes"
	"testing"

	"bayeskernel/internal/fixture"
)

// FuzzRead changes a value of a saved classifier: it is refused, or it classifies, or says why not.
func FuzzRead(f *testing.F) {
	var saved [][]byte
	var items []Data
	save := func(k Kernel, d Data, labels []string) {
		c, err := Classify(f.Context(), k, d, labels, Options{Probabilities: true})
		if err != nil {
			f.Fatal(err)
		}
		var b bytes.Buffer
		if err := c.Save(&b); err != nil {
			f.Fatal(err)
		}
		saved, items = append(saved, b.Bytes()), append(items, d)
	}
	x, labels := rings(60, 3)
	save(rbf(1), Rows(x), labels)
	all, of := samples(12, 1)
	k := rbf(1)
	k.Width = 0.3
	save(k, Samples(all...), of)
	f.Add(true, uint16(7), 1.5, "")
	f.Add(false, uint16(9), -2.0, "")
	f.Add(false, uint16(3), 0.0, `[{"rows": [[1]], "weights": [1]}]`)
	f.Fuzz(func(t *testing.T, ofSamples bool, at uint16, number float64, text string) {
		which := 0
		if ofSamples {
			which = 1
		}
		b := fixture.Edited(t, saved[which], int(at), fixture.Value(number, text))
		if m, err := ReadMachine(bytes.NewReader(b)); err == nil {
			_, _ = m.Decide(items[which])
		}
		c, err := ReadClassifier(bytes.NewReader(b))
		if err != nil {
			return
		}
		if p, err := c.Predict(items[which]); err == nil && len(p) != items[which].count() {
			t.Errorf("%d predictions of %d items", len(p), items[which].count())
		}
		_, _ = c.Probabilities(items[which])
	})
}
