package chains

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"bayeskernel/draws"
	"bayeskernel/hmc"
	"bayeskernel/internal/flat"
	"bayeskernel/nuts"
	"bayeskernel/stein/runs"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

const (
	probes = 1000 // points beside draws
	enough = 8    // that have no density, for a warning to say so
)

// rejected looks beside draws for points that have no density, if transitions diverged: one at which a program
// rejects ends a trajectory as one at which the step is too long does, and no shorter step helps.
func (t *Told) rejected(points *runs.Points, target runs.Target, seed uint64) {
	why, ok := target.(hmc.Explainer)
	at := slices.IndexFunc(t.Summary.Warnings, func(w draws.Warning) bool { return w.Kind == draws.WarnDivergences })
	if !ok || at < 0 {
		return
	}
	n, dim := points.X.Dims()
	sd := make([]float64, dim)
	for j := range sd {
		sd[j] = stat.StdDev(mat.Col(nil, j, points.X), nil)
	}
	r := rand.New(rand.NewPCG(seed, 0x7265))
	x, grad := make([]float64, dim), make([]float64, dim)
	count, first, most := map[string]int{}, map[string]string{}, "" // by places, and the place of most
	for range probes {
		for j, v := range points.X.RawRowView(r.IntN(n)) {
			x[j] = v + sd[j]*r.NormFloat64()
		}
		if !math.IsInf(target.LogDensity(x, grad), -1) {
			continue
		}
		if s := why.Explain(x); s != "" {
			place, _, _ := strings.Cut(s, ": ")
			if count[place]++; count[place] == 1 {
				first[place] = s
			}
			if count[place] > count[most] {
				most = place
			}
		}
	}
	if count[most] < enough {
		return
	}
	w := &t.Summary.Warnings[at]
	w.Meaning = fmt.Sprintf("Trajectories end where the program has no density: of %d points beside draws it rejects %d at %s.",
		probes, count[most], first[most])
	w.Advice = "Look at that place of the program: if parameters have a bound there, declare it; shorter steps do not help."
}

const (
	straight = 200 // coordinates, for the time that it takes to look for a line
	named    = 4   // coordinates of it
)

// improper looks for a line along which the density is the same everywhere, if anything warns. Draws then say
// nothing of the coordinates that change along it, however many there are.
func (t *Told) improper(target hmc.Target, names []string) {
	d := target.Dim()
	if t.Sound() || len(names) != d || d > straight {
		return
	}
	all := make([]int, d)
	for i := range all {
		all[i] = i
	}
	line := flat.Line(target.LogDensity, d, all)
	if line == nil {
		return
	}
	var part []string
	for _, i := range line {
		part = append(part, names[i])
	}
	w := draws.Warning{Kind: "improper", Parameters: part, Chains: []int{}, Value: float64(len(line))}
	if len(line) == 1 {
		w.Finding = fmt.Sprintf("The density does not depend on %s, so there is no posterior of it.", part[0])
		w.Advice = "Give it a distribution, or take it out of the program."
	} else {
		text := strings.Join(part, ", ")
		if len(part) > named {
			text = fmt.Sprintf("%s and %d more", strings.Join(part[:named], ", "), len(part)-named)
		}
		w.Finding = fmt.Sprintf("The density is the same all along a line in %s, so there is no posterior of them.", text)
		w.Advice = "Give one of them a distribution, or bind them, as a sum_to_zero_vector does."
	}
	w.Meaning = "More draws do not help."
	t.Summary.Warnings = slices.Insert(t.Summary.Warnings, 0, w)
}

// Of chains that begin again where another was moved from. A long step of early warm-up may leave a mode by chance: all of
// them must.
const (
	again                   = 3
	againWarmup, againDraws = 500, 100
	ordinary                = 0.01 // of the draws have a density as low as draws that have joined them may have
)

// rejoined begins again where warm-up moved a chain from. If that comes to where the density is as high as that of
// the draws, the place was no mode of its own, and a note takes the place of the warning.
func (t *Told) rejoined(ctx context.Context, run *draws.Run, points *runs.Points, target runs.Target) {
	at := slices.IndexFunc(t.Summary.Warnings, func(w draws.Warning) bool { return w.Kind == draws.WarnMoved })
	if at < 0 {
		return
	}
	usual := slices.Sorted(slices.Values(points.LogP))
	least := usual[int(ordinary*float64(len(usual)))]
	for _, chain := range run.Chains {
		if chain.MovedFrom == nil {
			continue
		}
		x, err := target.Unconstrain(chain.MovedFrom)
		if err != nil {
			return
		}
		x = slices.Clone(x)
		for k := range uint64(again) {
			if lp, err := ends(ctx, target, x, run.Seed+1+k); err != nil || !(lp >= least) {
				return
			}
		}
	}
	finding := t.Summary.Warnings[at].Finding
	t.Summary.Warnings = slices.Delete(t.Summary.Warnings, at, at+1)
	t.Summary.Notes = append(t.Summary.Notes, strings.Replace(finding, " (threshold 0).", ", as it came nearer too slowly. "+
		"Chains that begin again where it was come to the others, so that this was no other mode.", 1))
}

// ends is the median log density of the draws of a chain that begins at x.
func ends(ctx context.Context, target hmc.Target, x []float64, seed uint64) (float64, error) {
	run, err := nuts.Sample(ctx, func() (hmc.Target, error) { return plain{target}, nil }, nuts.Config{Settings: hmc.Settings{Chains: 1,
		Warmup: againWarmup, Draws: againDraws, Seed: seed, Start: hmc.Start{Points: [][]float64{slices.Clone(x)}}}})
	if err != nil {
		return math.NaN(), err
	}
	var lp []float64
	if err := run.Chains[0].EachStat(func(_ int, s draws.Stat) { lp = append(lp, s.LP) }); err != nil {
		return math.NaN(), err
	}
	slices.Sort(lp)
	return lp[len(lp)/2], nil
}

// plain is a target with coordinates as they are.
type plain struct{ hmc.Target }

// seen bounds the number of coordinates of all draws that Inspect looks at, for time.
const seen = 2_000_000

// Inspect compares the draws of a run with the gradients of its target; names are those of the coordinates. The run is
// the one that is told of, with the values that the target knows. Where draws and target cannot be compared
// nothing is told of it.
func (t *Told) Inspect(ctx context.Context, run *draws.Run, target runs.Target, names []string) {
	t.improper(target, names)
	most := max(100, min(1000, seen/max(1, target.Dim()*len(run.Chains))))
	points, err := runs.Read(ctx, run, target, names, most)
	if err != nil {
		return
	}
	t.rejected(points, target, run.Seed)
	t.rejoined(ctx, run, points, target)
	found, err := runs.Inspect(points, runs.Options{Seed: run.Seed})
	if err != nil {
		return
	}
	if !found.Suspect() {
		t.fits = found.Sentence()
		return
	}
	t.Summary.Warnings = append(t.Summary.Warnings, draws.Warning{Kind: "gradient", Parameters: []string{}, Chains: []int{},
		Value: found.Least(), Threshold: runs.Level, Finding: found.Sentence(),
		Meaning: "Either the chains are too short, or the gradient is not that of the density.",
		Advice:  "Run longer chains; if this stays, look for a jump, a corner, or a function whose derivative is wrong."})
}
