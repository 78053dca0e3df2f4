package sample

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"bayeskernel/bke"
	"bayeskernel/bke/target"
	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/folder"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/draws"
	"bayeskernel/hmc"
	"bayeskernel/internal/atomicfile"
	"bayeskernel/modes"
	"bayeskernel/nuts"
)

// saved is the interval between checkpoints, in case the process is killed.
const saved = 5 * time.Second

// SamplerFlags say how the posterior is sampled.
type SamplerFlags struct {
	chains, iter, warmup, thin int
	sampler, metric            string
	targetAccept               float64
	warmFrom, until, Resume    string
	also                       map[string]*bool // formats of draws beside that, by name
	stanBool                   string
}

// Define defines the flags except those for files.
func (f *SamplerFlags) Define(s *cli.FlagSet) {
	s.Group("Sampler")
	s.Whole(&f.chains, "chains", 4, "the `number` of chains, which run in parallel")
	s.Whole(&f.iter, "iter", 2000, "the `number` of iterations of each chain, including warm-up")
	s.Whole(&f.warmup, "warmup", 0, "the `number` of iterations of warm-up (default half of -iter)")
	s.Choice(&f.sampler, "sampler", "nuts", []string{"nuts", "hmc"}, "the `sampler`: nuts, or hmc "+
		"with a fixed mean length of its trajectories")
	s.Number(&f.targetAccept, "target-accept", 0.8, "the mean acceptance `probability` to "+
		"which the step size is tuned; raise it if there are divergences")
	s.Choice(&f.metric, "metric", "dense", []string{"dense", "diag", "unit"}, "the `shape` of the "+
		"mass matrix: dense, diag or unit")
	s.Whole(&f.thin, "thin", 1, "keep every `n`-th draw")
	s.Text(&f.warmFrom, "warm-from", "", "start from what an earlier run learned, with little "+
		"warm-up: the `file` warmstart.json that it left")
	s.Text(&f.until, "until", "", "stop early once these `targets` are met, such as "+
		"\"rhat<1.01,ess>1000\"; -iter is then the maximum")
	s.Text(&f.Resume, "resume", "", "continue the run that was interrupted in this `folder`, or from "+
		"this checkpoint; repeat the other flags; those that change the chains are refused")
}

// DefineFiles defines the flags for files of draws.
func (f *SamplerFlags) DefineFiles(s *cli.FlagSet) {
	f.also = map[string]*bool{}
	for _, format := range [][2]string{
		{"zarr", "write the draws as a Zarr folder too, for ArviZ and xarray"},
	} {
		f.also[format[0]] = new(bool)
		s.Yes(f.also[format[0]], format[0], format[1])
	}
	s.Choice(&f.stanBool, "stan-bool", "digit", []string{"digit", "word"}, "`how` draws_N.csv "+
		"spells true: digit, as rstan 2.21 needs it, or word, as rstan 2.33 does")
}

// Check returns an error if the flags are wrong.
func (f *SamplerFlags) Check(s *cli.FlagSet) error {
	switch {
	case f.chains < 1:
		return cli.Usagef("-chains is %d, want at least 1", f.chains)
	case f.chains > 1000:
		return cli.Usagef("-chains is %d, want at most 1000", f.chains)
	case f.iter < 4:
		return cli.Usagef("-iter is %d, want at least 4", f.iter)
	case f.iter > 1e9:
		return cli.Usagef("-iter is %d, want at most 1e9", f.iter)
	case s.Given("warmup") && (f.warmup < 0 || f.warmup >= f.iter):
		return cli.Usagef("-warmup is %d, want at least 0 and less than -iter, which is %d", f.warmup,
			f.iter)
	case s.Given("warmup") && f.warmup == 0 && f.warmFrom == "":
		return cli.Usagef("-warmup is 0, and nothing else tunes the step size: want -warm-from too")
	case !(f.targetAccept > 0 && f.targetAccept < 1):
		return cli.Usagef("-target-accept is %v, want more than 0 and less than 1", f.targetAccept)
	case f.thin < 1:
		return cli.Usagef("-thin is %d, want at least 1", f.thin)
	}
	if !s.Given("warmup") {
		f.warmup = f.iter / 2
	}
	if kept := (f.iter - f.warmup + f.thin - 1) / f.thin; kept < fewestDrawn {
		return cli.Usagef("-iter %d, -warmup %d and -thin %d leave %s of each chain, want at least %d",
			f.iter, f.warmup, f.thin, cli.Plural(kept, "draw"), fewestDrawn)
	}
	_, err := f.stoppingRule()
	return err
}

// stoppingRule reads -until.
func (f *SamplerFlags) stoppingRule() (*hmc.Until, error) {
	if f.until == "" {
		return nil, nil
	}
	var u hmc.Until
	for _, term := range strings.Split(f.until, ",") {
		term = strings.TrimSpace(term)
		at := strings.IndexAny(term, "<>")
		if at < 0 {
			return nil, cli.Usagef("-until: %q is not a target, want for example rhat<1.01 or ess>1000",
				term)
		}
		name, op := strings.TrimSpace(term[:at]), term[at]
		v, err := strconv.ParseFloat(strings.TrimSpace(term[at+1:]), 64)
		if err != nil || !(v > 0) || v-v != 0 {
			return nil, cli.Usagef("-until: %q does not end in a positive number", term)
		}
		want := byte('>')
		switch name {
		case "rhat":
			u.RHat, want = v, '<'
		case "mcse":
			u.MCSE, want = v, '<'
		case "ess":
			u.ESSBulk, u.ESSTail = v, v
		case "ess_bulk":
			u.ESSBulk = v
		case "ess_tail":
			u.ESSTail = v
		default:
			return nil, cli.Usagef("-until: %q is unknown, want rhat, ess, ess_bulk, ess_tail or mcse "+
				"(of the mean, as a share of the sd)", name)
		}
		if op != want {
			return nil, cli.Usagef("-until: %q points the wrong way, want %s%c%g", term, name, want, v)
		}
		if name == "rhat" && v <= 1 {
			return nil, cli.Usagef("-until: %q can never be met, want a number above 1", term)
		}
	}
	return &u, nil
}

// settings are the settings of a run of s that writes its files to dir.
func (f *SamplerFlags) settings(s *study.Study, dir *folder.Folder) (hmc.Settings, error) {
	set := hmc.Settings{Chains: f.chains, Warmup: f.warmup, Draws: f.iter - f.warmup, Thin: f.thin,
		Seed: s.Flags.Seed, TargetAccept: f.targetAccept, Start: hmc.Start{From: hmc.InitTarget},
		Model: fmt.Sprintf("bke %s, path %s, data %s, given z %s", s.Describe(), s.Model.Path(),
			s.Data.Identity(), input.Hash(s.Inputs.Z)),
		Path: s.Model.Path(), Checkpoints: hmc.Checkpoints{Resume: dir.Resume, Every: saved}}
	if f.warmup == 0 {
		set.Warmup = hmc.NoWarmup
	}
	set.Adapt.Fixed = true // the draws of a seed are those of earlier versions
	set.Adapt.Metric = map[string]hmc.MetricKind{"dense": hmc.DenseMetric, "diag": hmc.DiagMetric,
		"unit": hmc.UnitMetric}[f.metric]
	var err error
	if set.Checkpoints.File, err = dir.Path(folder.Checkpoint + atomicfile.Part); err != nil {
		return set, err
	}
	if set.Until, err = f.stoppingRule(); err != nil {
		return set, err
	}
	if f.warmFrom != "" {
		set.Start.Warm, err = hmc.ReadWarmStart(f.warmFrom, s.Model.Free())
		if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
			return set, fmt.Errorf("-warm-from %s: not a warm start, want the file warmstart.json "+
				"that an earlier run left", f.warmFrom)
		}
		if err != nil {
			return set, err
		}
		if k := len(set.Start.Warm); k != f.chains {
			set.Start.Warm = set.Start.Warm[:1] // what one chain learned serves all
		}
	}
	return set, nil
}

// modeStarts is the number of points from which to search for modes, in addition to the known
// modes.
const modeStarts = 8

// draw searches for the modes of the posterior of s and then samples. If there are several, chains
// start at those with substantial mass: from draws of a wide prior they would often get stuck at a
// mode hundreds of nats below the best. If there is only one and the way to it is expensive, they
// start there too.
func (f *SamplerFlags) draw(ctx context.Context, con *cli.Console, s *study.Study, set hmc.Settings) (*draws.Run, error) {
	factory := target.New(s.Model, s.Priors)
	if s.Summed != nil {
		return f.drawSummed(ctx, s, set)
	}
	line := con.Working("searching for modes")
	found, err := modes.Find(ctx, factory, modes.Options{Starts: modeStarts, InitFrom: hmc.InitTarget,
		Points: modePoints(s), Seed: set.Seed})
	line.End()
	if err != nil {
		return nil, err
	}
	alone := len(found.Modes) == 1 && s.Tabulated && s.PassWork() >= study.DearStart
	if set.Start.Warm == nil && (alone || len(found.Modes) > 1) {
		set.Start.Points = modes.Starts(massive(found), set.Chains, set.Seed)
		if alone {
			s.Notes = append(s.Notes, fmt.Sprintf("To save time the chains start at the one mode that a search "+
				"from %d points found.", modeStarts))
		}
	}
	var run *draws.Run
	if f.sampler == "hmc" {
		run, err = hmc.Sample(ctx, factory, hmc.Config{Settings: set})
	} else {
		run, err = nuts.Sample(ctx, factory, nuts.Config{Settings: set})
	}
	if run != nil {
		run.Modes = found
	}
	return run, err
}

// modePoints are the known modes on the sampler's scale. It is nil if there is only one, or if
// there are bounds, because a mode may lie on a bound.
func modePoints(s *study.Study) [][]float64 {
	if len(s.Fit.Modes) < 2 || s.Flags.ThetaMin > 0 || s.Flags.ThetaMax > 0 {
		return nil
	}
	var points [][]float64
	for _, m := range s.Fit.Modes {
		x, err := target.Starts(s.Model, s.Priors, &bke.Fit{Modes: []bke.Mode{m}}, 1)
		if err != nil {
			return nil // the search has starts of its own
		}
		points = append(points, x...)
	}
	return points
}

// massive selects the modes with at least a thousandth of the mass of the first.
func massive(all *draws.Modes) *draws.Modes {
	top := math.Inf(-1)
	for _, m := range all.Modes {
		top = math.Max(top, m.LogMass)
	}
	out := &draws.Modes{}
	for _, m := range all.Modes {
		if m.LogMass >= top-math.Log(1000) {
			out.Modes = append(out.Modes, m)
		}
	}
	return out
}

// hyperparameters returns the draws of a run, thinned evenly to at most count.
func hyperparameters(m *bke.Model, run *draws.Run, count int) ([]bke.Params, error) {
	all, err := target.Draws(m, run)
	if err != nil || len(all) <= count {
		return all, err
	}
	out := make([]bke.Params, count)
	for i := range out {
		out[i] = all[i*len(all)/count]
	}
	return out, nil
}

// drawSummed samples starting from the known modes: the posterior is unknown elsewhere.
func (f *SamplerFlags) drawSummed(ctx context.Context, s *study.Study, set hmc.Settings) (*draws.Run, error) {
	factory := target.New(s.Model, s.Priors)
	if set.Start.Warm == nil {
		var err error
		if set.Start.Points, err = target.Starts(s.Model, s.Priors, s.Fit, set.Chains); err != nil {
			return nil, err
		}
	}
	if f.sampler == "hmc" {
		return hmc.Sample(ctx, factory, hmc.Config{Settings: set})
	}
	return nuts.Sample(ctx, factory, nuts.Config{Settings: set})
}
