package runs

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/diagnostics"
	"bayeskernel/draws"
	"bayeskernel/kernels"
	"bayeskernel/stein"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Options say how Inspect looks. The zero value is usual.
type Options struct {
	Seed  uint64
	Signs int // the number of sums with random signs; 0 means 999
}

// Identity is one of Stein's identities in a run.
type Identity struct {
	Coordinate string
	Spread     bool    // E (c - x) u = 1, else E u = 0
	Mean       float64 // over the draws
	Z          float64 // its distance from what it should be, in standard errors
	P          float64 // how probable a larger one is, by Student's t
}

// Inspection is what Inspect finds.
type Inspection struct {
	Identities []Identity
	Worst      int     // the number of the identity furthest from what it should be
	P          float64 // of the worst, for the number of them
	// Discrepancy is the squared discrepancy V, and PDiscrepancy its p-value, NaN with fewer than 20 blocks.
	Discrepancy, PDiscrepancy float64
	Blocks                    int
}

const (
	// Level is the p-value below which either check is told as a fault: both together tell one of a hundred sound
	// runs.
	Level = 0.005
	// batch is the number of effective draws that count as one degree of freedom of a standard error: about as
	// many as its estimate is worth.
	batch = 10
	// fewBlocks is the number of blocks below which signs say nothing.
	fewBlocks = 20
	// rowsSeen is the number of rows that the discrepancy looks at.
	rowsSeen = 500
)

// Inspect compares draws with the density whose gradients they come with.
func Inspect(p *Points, o Options) (*Inspection, error) {
	n, dim := p.X.Dims()
	if n < 8 {
		return nil, fmt.Errorf("runs: %d draws, want at least 8", n)
	}
	out := &Inspection{Identities: make([]Identity, 2*dim), P: math.NaN(), PDiscrepancy: math.NaN()}
	least := make([]float64, dim) // effective draws of a coordinate and of its square
	sd := make([]float64, dim)
	p.each(func(a int) {
		centre := 0.0
		centre, sd[a] = stat.MeanStdDev(mat.Col(nil, a, p.X), nil)
		least[a] = math.Inf(1)
		for k, f := range []func(i int) float64{
			func(i int) float64 { return p.U.At(i, a) },
			func(i int) float64 { return (centre - p.X.At(i, a)) * p.U.At(i, a) },
			func(i int) float64 { return p.X.At(i, a) },
			func(i int) float64 { return (p.X.At(i, a) - centre) * (p.X.At(i, a) - centre) },
		} {
			chains := p.series(f)
			ess := diagnostics.ESSMean(chains)
			if k >= 2 {
				least[a] = min(least[a], ess)
				continue
			}
			id := Identity{Coordinate: p.name(a), Spread: k == 1}
			var all []float64
			for _, c := range chains {
				all = append(all, c...)
			}
			var s float64
			id.Mean, s = stat.MeanStdDev(all, nil)
			se := s / math.Sqrt(ess)
			id.Z = (id.Mean - float64(k)) / se
			if id.Spread && id.Mean > 0 { // the logarithm is nearer to normal: squares have a mean that goes with their sd
				id.Z = math.Log(id.Mean) * id.Mean / se
			}
			id.P = 2 * distuv.StudentsT{Sigma: 1, Nu: max(1, ess/batch)}.Survival(math.Abs(id.Z))
			out.Identities[2*a+k] = id
		}
	})
	for a, s := range sd {
		if !(s > 0) {
			return nil, fmt.Errorf("runs: %s is the same in all draws", p.name(a))
		}
	}
	ess := math.Inf(1)
	for k, id := range out.Identities {
		if least := out.Identities[out.Worst].P; id.P < least || math.IsNaN(least) {
			out.Worst = k
		}
	}
	out.P = min(1, float64(2*dim)*out.Identities[out.Worst].P)
	for _, v := range least {
		ess = math.Min(ess, v)
	}
	return out, out.discrepancy(p, sd, ess, o)
}

// discrepancy computes V and its p-value; ess is the least number of effective draws.
func (f *Inspection) discrepancy(p *Points, sd []float64, ess float64, o Options) error {
	n, dim := p.X.Dims()
	rows := min(n, rowsSeen)
	x, u := mat.NewDense(rows, dim, nil), mat.NewDense(rows, dim, nil)
	memory := 4 * float64(n) / ess // of a block, in draws
	sign := make([]int, rows)      // the block of each row
	f.Blocks = 0
	if !(memory < float64(n)) {
		memory = float64(n)
	}
	last := [2]int{-1, -1}
	start := 0
	for k := range rows {
		i := k * n / rows
		for a, s := range sd {
			x.Set(k, a, p.X.At(i, a)/s)
			u.Set(k, a, p.U.At(i, a)*s)
		}
		if p.Chain[i] != last[0] {
			start = i
		}
		at := [2]int{p.Chain[i], int(float64(i-start) / memory)}
		if at != last {
			f.Blocks++
			last = at
		}
		sign[k] = f.Blocks - 1
	}
	m, err := stein.Median(x)
	if err != nil {
		return err
	}
	if !(m > 0) {
		return fmt.Errorf("runs: half of the draws are the same")
	}
	k, err := stein.New(kernels.RQ{Alpha: 0.5}, stein.Lengthscale(m, dim))
	if err != nil {
		return err
	}
	gram, err := k.Matrix(x, u)
	if err != nil {
		return err
	}
	// Sums over pairs of blocks: signs are the same within each.
	b := mat.NewSymDense(f.Blocks, nil)
	for i := range rows {
		for j := range i + 1 {
			v := gram.At(i, j)
			if i != j && sign[i] == sign[j] {
				v *= 2
			}
			b.SetSym(sign[i], sign[j], b.At(sign[i], sign[j])+v)
		}
	}
	ones := mat.NewVecDense(f.Blocks, nil)
	for i := range f.Blocks {
		ones.SetVec(i, 1)
	}
	size := float64(rows) * float64(rows)
	v := mat.Inner(ones, b, ones)
	f.Discrepancy = math.Max(0, v/size)
	if f.Blocks < fewBlocks {
		return nil
	}
	signs := o.Signs
	if signs <= 0 {
		signs = 999
	}
	r := rand.New(rand.NewPCG(o.Seed, 0x57e1))
	atLeast := 1
	for range signs {
		for i := range f.Blocks {
			ones.SetVec(i, float64(2*r.IntN(2)-1))
		}
		if mat.Inner(ones, b, ones) >= v {
			atLeast++
		}
	}
	f.PDiscrepancy = float64(atLeast) / float64(signs+1)
	return nil
}

// Least is the smaller p-value of the two checks.
func (f *Inspection) Least() float64 {
	if f.PDiscrepancy < f.P {
		return f.PDiscrepancy
	}
	return f.P
}

// Suspect reports whether either check finds a fault.
func (f *Inspection) Suspect() bool { return f.Least() < Level }

// Sentence says what was found, and no more.
func (f *Inspection) Sentence() string {
	id := f.Identities[f.Worst]
	what := "the place of " + id.Coordinate + " is off"
	if id.Spread {
		what = "the draws of " + id.Coordinate + " are spread too wide"
		if id.Mean < 1 {
			what = "the draws of " + id.Coordinate + " are spread too little"
		}
	}
	blind := "This says nothing of modes that no chain has visited."
	switch {
	case f.P < Level:
		return fmt.Sprintf("The draws do not agree with the gradient of the log density: %s (Stein's identity, p = %s).", what, short(f.P))
	case f.PDiscrepancy < Level:
		return fmt.Sprintf("The draws do not agree with the gradient of the log density: their shape is off (Stein discrepancy, p = %s).",
			short(f.PDiscrepancy))
	case math.IsNaN(f.PDiscrepancy):
		return fmt.Sprintf("The places and spreads of the draws agree with the gradient of the log density (Stein's identities, p = %s); "+
			"the chains move too slowly to check their shape. %s", short(f.P), blind)
	}
	return fmt.Sprintf("The draws agree with the gradient of the log density (Stein's identities, p = %s; Stein discrepancy, p = %s). %s",
		short(f.P), short(f.PDiscrepancy), blind)
}

func short(p float64) string {
	if p < 1e-4 {
		return fmt.Sprintf("%.0e", p)
	}
	return fmt.Sprintf("%.2g", p)
}

// Apart reports whether the chains of a run warn that they do not agree.
func Apart(run *draws.Run) bool {
	return slices.ContainsFunc(run.Warnings(), func(w draws.Warning) bool {
		return w.Kind == draws.WarnRHat || w.Kind == draws.WarnSeparateModes
	})
}

// Compress chooses m of the draws that stand for all; the same may come up repeatedly. Those of a bad run, which is
// suspect or whose chains are apart, are put right by their gradients first.
func Compress(p *Points, m int, bad bool) ([]int, error) {
	if bad {
		return stein.Compress(p.X, p.U, m)
	}
	return stein.Compress(p.X, nil, m)
}
