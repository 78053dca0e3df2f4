package summary

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A pilot has the rows that one which leaves nothing out begins with, whatever its size, in whatever order
// the chunks come, equal ones among them, and from however many pilots it was merged.
func TestPilotKeepsTheFirst(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for k, most := range []int{1, 2, 7, 50, 400, 1000} {
		dim := 1 + k%3
		var chunks [][]float64
		for range 12 {
			x := mixture(r.Uint64(), 1+r.IntN(1500), dim)
			chunks = append(chunks, x)
			if r.IntN(3) == 0 {
				chunks = append(chunks, x)
			}
		}
		all := NewPilot(dim, 1<<20, 7)
		for _, x := range chunks {
			all.Begin("P")
			all.Add(x)
		}
		want := all.sampleRows()
		want = want[:min(len(want), most*dim)]
		for range 5 {
			r.Shuffle(len(chunks), func(i, j int) { chunks[i], chunks[j] = chunks[j], chunks[i] })
			parts := make([]*Pilot, 1+r.IntN(4))
			for i := range parts {
				parts[i] = NewPilot(dim, most, 7)
			}
			for _, x := range chunks {
				p := parts[r.IntN(len(parts))]
				p.Begin("P")
				cut := r.IntN(len(x)/dim+1) * dim
				p.Add(x[:cut])
				p.Add(x[cut:])
			}
			for _, p := range parts[1:] {
				if err := parts[0].Merge(p); err != nil {
					t.Fatal(err)
				}
			}
			if got := parts[0].sampleRows(); !slices.Equal(got, want) {
				t.Errorf("%d of %d rows in %d columns, %d pilots: %d values, not those of the first rows", most,
					all.count(""), dim, len(parts), len(got))
			}
			if got, want := parts[0].count(""), all.count(""); got != want {
				t.Errorf("%d rows were seen, want %d", got, want)
			}
		}
	}
}
