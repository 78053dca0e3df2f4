package figure

import (
	"fmt"
	"math"
)

const longName = "Ozone concentration, parts per billion, mean from 13:00 to 15:00 hours at " +
	"Roosevelt Island; a name that does not end"

// oddName has several scripts, bytes that are not UTF-8, control characters and markup.
const oddName = "Ünïcodé β-щ 日本 \x00\xff<&>\n\"'"

// nastyFixtures has what real data and impatient users bring.
func nastyFixtures() []fixture {
	return append(append(nastyWitnesses(), nastyTraces()...), nastyRest()...)
}

func nastyWitnesses() []fixture {
	rng := source()
	two := func(a, b []float64) []Sample { return []Sample{{Name: "P", Values: a}, {Name: "Q", Values: b}} }
	wave := func(scale, step float64) func(float64) float64 {
		return func(x float64) float64 { return scale * math.Sin(x/step) }
	}
	few, many := normals(rng, 30, 0, 1), normals(rng, 100, 0, 1)
	far := ribbonOf(span(1e8-3, 1e8+3, 40), 3e7,
		func(x float64) float64 { return 1e8 * math.Sin(x-1e8) })
	small := ribbonOf(span(-3e-8, 3e-8, 40), 3e-10, wave(1e-9, 1e-8))
	return []fixture{
		{"one-value", Witness1D{Title: "One value each", Samples: two([]float64{1}, []float64{2}),
			Band: ribbonOf(span(0, 3, 50), 0.02, wave(0.1, 0.5)), Level: 0.8}},
		{"two-points", Witness1D{Samples: []Sample{{Values: []float64{1, 1}}},
			Band: ribbonOf(span(0, 3, 2), 0.02, wave(0.1, 1))}},
		{"one-point", Witness1D{Samples: two(few, many),
			Band: ribbonOf([]float64{2}, 0.02, wave(1, 1))}},
		{"flat-band", Witness1D{Samples: two(few, many),
			Band: ribbonOf(span(-3, 3, 40), 0, wave(0, 1))}},
		{"tiny", Witness1D{Title: "1e-8", Samples: two(normals(rng, 50, 0, 1e-8), few), Band: small,
			XLabel: "metres", Level: 0.95}},
		{"offset", Witness1D{Title: "1e8", Samples: two(normals(rng, 50, 1e8, 1), few), Band: far,
			XLabel: "seconds since the epoch", Level: 0.95}},
		{"heavy", Witness1D{Title: "Heavy tails", Samples: two(cauchys(rng, 300), many),
			Band: ribbonOf(span(-10, 10, 200), 0.05, wave(0.1, 2)), Level: 0.8}},
		{"long", Witness1D{Title: longName + " - " + longName, XLabel: longName, Points: few,
			Samples: []Sample{{Name: longName, Values: few}, {Name: oddName, Values: many}},
			Band:    ribbonOf(span(-3, 4, 100), 0.05, wave(0.1, 1)), Level: 0.8}},
		{"many-values", Witness1D{Samples: two(normals(rng, 50_000, 0, 1), many),
			Band:      ribbonOf(span(-5, 5, 200), 0.05, wave(0.1, 1)),
			Empirical: ribbonOf(span(-5, 5, 200), 0, wave(0.1, 1.1)).Mean,
			Truth:     ribbonOf(span(-5, 5, 200), 0, wave(0.1, 0.9)).Mean}},
		{"huge", Witness1D{Samples: two([]float64{-1e290, 1e290}, []float64{0}),
			Band: ribbonOf(span(-1e290, 1e290, 5), 1e289, wave(1e289, 1e290))}},
	}
}

func nastyTraces() []fixture {
	rng := source()
	chains := func(c int, draw func() []float64) [][]float64 {
		all := make([][]float64, c)
		for i := range all {
			all[i] = draw()
		}
		return all
	}
	normal := func(n int, mean float64) func() []float64 {
		return func() []float64 { return normals(rng, n, mean, 1) }
	}
	constant := func() []float64 { return []float64{0.05, 0.05, 0.05} }
	apart := chains(4, normal(300, 0))
	apart[3] = normals(rng, 300, 3, 1)
	ragged := [][]float64{normals(rng, 50, 0, 1), normals(rng, 31, 0, 1), {}}
	return []fixture{
		{"trace-constant", Trace{Names: []string{"fixed", longName}, RHat: []float64{math.NaN(), 1.3},
			ESS: []float64{math.NaN(), 3}, Chains: [][][]float64{chains(2, constant),
				chains(2, func() []float64 { return cauchys(rng, 3) })}}},
		{"trace-all-constant", Trace{Names: []string{"fixed"},
			Chains: [][][]float64{chains(2, constant)}}},
		{"trace-heavy", Trace{Names: []string{oddName}, Chains: [][][]float64{
			chains(2, func() []float64 { return cauchys(rng, 400) })}}},
		{"trace-one-draw", Trace{Names: []string{"a", "b"}, Chains: [][][]float64{
			chains(4, normal(1, 0)), chains(4, normal(1, 0))}}},
		{"trace-one-chain", Trace{Names: []string{"a"},
			Chains: [][][]float64{chains(1, normal(30, 1e8))}}},
		{"trace-30-chains", Trace{Names: []string{"a"},
			Chains: [][][]float64{chains(30, normal(50, 0))}}},
		{"trace-apart", Trace{Names: []string{"a"}, Chains: [][][]float64{apart}}},
		{"trace-ragged", Trace{Names: []string{"a"}, Chains: [][][]float64{ragged}}},
		{"trace-many", traceFixture(8, 8, 700)},
	}
}

func nastyRest() []fixture {
	rng := source()
	flat := profileFixture()
	for i := range flat.LogLik {
		flat.LogLik[i] = 5
	}
	flat.Modes, flat.Flat = nil, math.NaN()
	flat.Medians = append(flat.Medians, Mark{X: 1e7, Label: longName})
	var narrow Profile
	for i, theta := range span(1.02, 1.03, 50) {
		y := -1e6 + math.Sin(float64(i)/10)
		narrow.Theta, narrow.LogLik = append(narrow.Theta, theta), append(narrow.LogLik, y)
		if i%4 == 0 {
			narrow.Modes = append(narrow.Modes, Mark{theta, y, fmt.Sprintf("mode %d", i)})
		}
	}
	var decay Series
	for _, l := range span(0, 10, 2000) {
		decay.X, decay.Y = append(decay.X, math.Pow(10, l)), append(decay.Y, math.Exp(-2*l))
	}
	var crowd Curves
	for range 25 {
		crowd.Series = append(crowd.Series, Series{Name: longName, X: span(0, 1, 3), Y: span(0, 1, 3)})
	}
	coarse, small, zero := planeFixture(3, 0.1), planeFixture(30, 1e-8), planeFixture(5, 0)
	coarse.Samples[0] = cloudOf(rng, "P", 20_000, 0, 1)
	small.Samples[0].Name, small.XLabel = longName, longName
	point := Witness2D{Samples: []Cloud{{Points: [][2]float64{{1, 1}}}}, X: []float64{1},
		Y: []float64{1}, Mean: []float64{0.5}}
	same := Null{Draws: []float64{0, 0, 0}, Critical: math.NaN(), PValue: 1}
	farOut := Null{Draws: normals(rng, 1000, 0, 1e-9), Statistic: 1, Critical: 2e-9, PValue: 1e-3}
	return []fixture{
		{"network-long", Network{Title: longName, Nodes: []string{longName, oddName, "", "a"},
			Edges: []NetworkEdge{{0, 1, true, false, math.NaN(), false, false}, {1, 2, true, true, 0, false, false}}}},
		{"network-cycle", Network{Nodes: []string{"a", "b", "c"}, Edges: []NetworkEdge{
			{0, 1, false, true, 1, false, false}, {1, 2, false, true, 1, false, false}, {2, 0, false, true, 1, false, false}}}},
		{"network-thirty", networkFixture(30)}, {"network-most", networkFixture(MaxNodes)},
		{"network-one", Network{Nodes: []string{"a"}}},
		{"profile-flat", flat}, {"profile-narrow", narrow},
		{"profile-one", Profile{Theta: []float64{1}, LogLik: []float64{-1e8},
			Modes: []Mark{{1, -1e8, "here"}}}},
		{"null-same", same}, {"null-far", farOut},
		{"curves-one", Curves{Series: []Series{{Name: "a", X: []float64{1}, Y: []float64{1}}},
			LogX: true, LogY: true}},
		{"curves-log", Curves{Series: []Series{decay}, LogX: true, LogY: true, XLabel: "n"}},
		{"curves-crowd", crowd},
		{"plane-coarse", coarse}, {"plane-small", small}, {"plane-zero", zero}, {"plane-point", point},
		{"pairs-one", Pairs{Planes: []Witness2D{point}, P: []float64{math.NaN()}}},
		{"pairs-many", pairsFixture(11)}, {"forest-many", forestFixture(55)},
		{"forest-long", Forest{Names: []string{longName, oddName}, P: []float64{1e-300, 1},
			Corrected: []float64{2e-300, 1}, XLabel: longName}},
		{"intervals-many", intervalsFixture(55)},
		{"intervals-zero", Intervals{Names: []string{longName}, Value: []float64{0}, Lower: []float64{0},
			Upper: []float64{0}}},
		{"cells-long", Cells{Rows: []string{longName, oddName}, Columns: []string{longName, oddName},
			Shade: []float64{0, 1, 0, 0}}},
		{"dependence-point", Dependence{Pairs: [][2]float64{{1, 1}}, X: []float64{1}, Y: []float64{1},
			Mean: []float64{0}, XLabel: longName, YLabel: longName}},
		{"embedding-zero", Embedding{X: []float64{1, 2}, Draws: [][]float64{{0, 0}, {0, 0}}}},
	}
}
