package hmc

import (
	"slices"

	"gonum.org/v1/gonum/floats"
)

// place is where a chain was in a window of a shared warm-up.
type place struct {
	End  int       // transitions made
	X, G []float64 // means of the positions and of the gradients
	LP   float64   // the least log density
}

// observe remembers the place of each chain in this window. Places in coordinates that have changed are
// forgotten.
func (m *meeting) observe(changed bool) {
	for _, c := range m.all {
		w := of(c)
		if changed {
			w.Shared.Places = nil
			continue
		}
		x, g := c.state.Warmup.learn.(*pairs).means()
		w.Shared.Places = append(w.Shared.Places, place{End: w.Done, X: x, G: g, LP: slices.Min(w.Shared.LP)})
	}
}

// means returns the mean position and gradient of this window.
func (w *pairs) means() (x, g []float64) {
	x, g = make([]float64, w.D), make([]float64, w.D)
	n := min(w.N, w.Most)
	rx, rg := w.rows(max(0, n-w.New), n)
	for i := range rx {
		floats.AddScaled(x, 1/float64(len(rx)), rx[i])
		floats.AddScaled(g, 1/float64(len(rx)), rg[i])
	}
	return x, g
}

// recall looks, once the metric is final and the chains are in one place, for chains that left another place on
// the way. Such a place is far off in units of the metric, its log densities are such as the draws now have too, and
// the gradient there did not pull here, as that of one normal mode would, by just as much as the place is
// off. What chains leave before any draw is kept no diagnostic of the draws can show.
func (m *meeting) recall() {
	if len(m.apart)+len(m.lagging) > 0 {
		return // R-hat shows it
	}
	here, lowest := make([]float64, m.pool.D), of(m.core[0]).Shared.LP[0]
	for _, c := range m.core {
		x, _ := c.state.Warmup.learn.(*pairs).means()
		floats.AddScaled(here, 1/float64(len(m.core)), x)
		lowest = min(lowest, slices.Min(of(c).Shared.LP))
	}
	off := make([]float64, m.pool.D)
	for _, c := range m.core {
		for _, p := range of(c).Shared.Places {
			floats.SubTo(off, p.X, here)
			pull := -dot(off, p.G)
			m.metric.whiten(off)
			if far := dot(off, off); p.LP >= lowest && far > farPlace+4*float64(m.pool.D)/firstWindow && pull < far/4 {
				c.state.Out.Left, c.state.Out.LeftFrom = p.End, c.values.Row(p.X)
			}
		}
		of(c).Shared.Places = nil
	}
}
