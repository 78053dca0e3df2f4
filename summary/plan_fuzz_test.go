package summary

import (
	"testing"

	"bayeskernel/bke"
	"bayeskernel/internal/fixture"
)

// FuzzPlan changes a value of a plan: it is refused, or sums rows, or says why not.
func FuzzPlan(f *testing.F) {
	var plans [][]byte
	for _, dim := range []int{1, 2, 4} {
		b, err := planFor(f, mixture(3, 200*dim, dim), dim, PlanOptions{Bins: 8}).MarshalBytes()
		if err != nil {
			f.Fatal(err)
		}
		plans = append(plans, b)
	}
	for k, v := range []float64{0, -1, 1e308, 1e-308, 3} {
		f.Add(uint8(k), uint16(4+k), v, "")
	}
	f.Add(uint8(1), uint16(9), 2.0, "[]")
	f.Add(uint8(1), uint16(12), 2.0, `{"a": null}`)
	f.Fuzz(func(t *testing.T, which uint8, at uint16, number float64, text string) {
		b := fixture.Edited(t, plans[int(which)%len(plans)], int(at), fixture.Value(number, text))
		p, err := ParsePlan(b)
		if err != nil {
			return
		}
		s, err := New(p)
		if err != nil {
			return
		}
		c, err := s.Chunk("P", false)
		if err != nil {
			return
		}
		if c.Add(mixture(5, 60, p.Dim())) != nil || c.Close() != nil {
			return
		}
		if o, err := p.Options(); err == nil {
			if m, err := s.Model(o); err == nil {
				_, _ = m.Learn(t.Context(), bke.LearnOptions{})
			}
		}
		_, _ = s.Bytes()
	})
}
