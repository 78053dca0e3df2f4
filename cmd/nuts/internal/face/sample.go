package face

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"time"

	"bayeskernel/draws"
	"bayeskernel/draws/cmdstan"
	"bayeskernel/hmc"
	"bayeskernel/internal/atomicfile"
	"bayeskernel/internal/workers"
	"bayeskernel/nuts"
)

// sampling is the method sample.
type sampling struct {
	*call
	*argument // sample
	hmc       *argument
	adapt     *argument
	n, id     int
	warmup    int
	samples   int
	refresh   int
	points    [][]float64
	radius    float64
	metrics   []draws.Metric
	drawn     []int // rows that the files of draws got, without those of warm-up
}

func (c *call) sample(ctx context.Context) error {
	s := &sampling{call: c, argument: c.args.at("method", "sample")}
	algorithm := s.at("algorithm")
	s.hmc, s.adapt = algorithm.at("hmc"), s.at("adapt")
	s.n, s.id = s.at("num_chains").whole(), c.args.at("id").whole()
	s.warmup, s.samples = s.at("num_warmup").whole(), s.at("num_samples").whole()
	s.refresh = c.args.at("output", "refresh").whole()
	if algorithm.value == "hmc" && s.hmc.at("engine").value == "static" {
		return &usageError{errors.New("engine=static is not supported: want engine=nuts")}
	}
	if c.bound.Dim() == 0 && algorithm.value == "hmc" { // as CmdStan does
		algorithm.value = "fixed_param"
	}
	var err error
	if s.points, s.radius, err = c.inits(s.n); err != nil {
		return err
	}
	if s.metrics, err = c.metrics(s.hmc, s.n); err != nil {
		return err
	}
	c.announce()
	s.drawn = make([]int, s.n)
	one := s.chain
	if algorithm.value == "fixed_param" {
		one = s.fixed
	}
	errs := workers.Run(ctx, s.n, min(s.n, runtime.GOMAXPROCS(0)), func(k int) error { return one(ctx, k) })
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	if ctx.Err() == nil {
		return c.config()
	}
	var leaves leaving
	for k, n := range s.drawn {
		if n > 0 {
			leaves = append(leaves, fmt.Sprintf("%s has %d of %d draws", s.paths[k], n, s.planned()))
		}
	}
	return leaves
}

// planned is the number of rows that a file of draws is to get, without those of warm-up.
func (s *sampling) planned() int {
	thin := s.at("thin").whole()
	return (s.samples + thin - 1) / thin
}

// interrupted is the comment of a chain that ended early.
func (s *sampling) interrupted(drawn int) string {
	return fmt.Sprintf("Interrupted after %d of %d draws", drawn, s.planned())
}

// label begins the lines of a chain, if there are several.
func (s *sampling) label(k int) string {
	if s.n == 1 {
		return ""
	}
	return fmt.Sprintf("Chain [%d] ", s.id+k)
}

// chain runs one chain. A chain is a run of its own, so that it does not depend on how many there are.
func (s *sampling) chain(ctx context.Context, k int) error {
	if err := s.expect(k); err != nil {
		return err
	}
	adapts := s.adapt.at("engaged").truth() && s.warmup > 0
	c := nuts.Config{MaxDepth: s.hmc.at("engine", "nuts", "max_depth").whole()}
	c.Chains, c.Seed = 1, s.seed(s.id+k)
	c.Draws, c.Warmup = max(s.samples, 1), s.warmup
	c.Thin, c.SaveWarmup = s.at("thin").whole(), s.at("save_warmup").truth()
	c.StepJitter = s.hmc.at("stepsize_jitter").number()
	if delta := s.adapt.at("delta"); delta.given {
		c.TargetAccept = delta.number()
	}
	c.Adapt.Fixed = true
	c.Adapt.StepSize = s.hmc.at("stepsize").number()
	if metric := s.hmc.at("metric"); metric.given || !adapts {
		c.Adapt.Metric = map[string]hmc.MetricKind{"unit_e": hmc.UnitMetric, "diag_e": hmc.DiagMetric, "dense_e": hmc.DenseMetric}[metric.value]
	}
	if init, term, window := s.adapt.at("init_buffer"), s.adapt.at("term_buffer"), s.adapt.at("window"); (init.given || term.given ||
		window.given) && init.whole()+term.whole()+window.whole() <= s.warmup {
		c.Adapt.Windows = hmc.Windows{Init: init.whole(), Base: window.whole(), Term: term.whole()}
	}
	if s.points[k] != nil {
		c.Start.Points = [][]float64{s.points[k]}
	}
	c.Start.Radius = s.radius
	if s.metrics[k].Kind != "" {
		c.Start.Warm = []hmc.WarmStart{{Metric: s.metrics[k], StepSize: c.Adapt.StepSize}}
	}
	skip := 0 // transitions of a warm-up that does not adapt
	if !adapts {
		skip = s.warmup
		c.Warmup, c.Thin, c.SaveWarmup, c.Draws = hmc.NoWarmup, 1, false, max(s.samples+skip, 1)
	}
	c.OnTransition = func(_, i int, _ bool) { s.progress(k, i) }
	rec := &recorder{s: s, k: k, skip: skip, adapts: adapts, path: s.paths[k]}
	c.Record = func(head *draws.Run, _ int) (draws.Recorder, error) { return rec, rec.open(head) }
	run, err := nuts.Sample(ctx, s.bound.Target, c)
	switch interrupted := err != nil && ctx.Err() != nil; {
	case rec.failed != nil:
		return rec.keep()
	case err != nil && !interrupted, interrupted && rec.kept == 0:
		rec.discard()
		return err
	case interrupted:
		_ = rec.w.Remark(s.interrupted(rec.kept)) // finish returns its error
	}
	if e := rec.finish(); e != nil {
		if rec.device != "" {
			return e
		}
		rec.failed = e
		return rec.keep()
	}
	s.drawn[k] = rec.kept
	if err != nil {
		return err
	}
	s.elapsed(k, run.Chains[0].WarmupSeconds, run.Chains[0].SampleSeconds)
	return nil
}

// expect says how long a gradient takes, as CmdStan does at the beginning.
func (s *sampling) expect(k int) error {
	t, err := s.bound.Target()
	if err != nil {
		return err
	}
	u, grad := make([]float64, t.Dim()), make([]float64, t.Dim())
	if s.points[k] != nil {
		copy(u, s.points[k])
	}
	t.LogDensity(u, grad) // records the program
	began := time.Now()
	t.LogDensity(u, grad)
	took := time.Since(began).Seconds()
	l := s.label(k)
	s.printf("\n%sGradient evaluation took %.6g seconds\n%s1000 transitions using 10 leapfrog steps per transition would take %.4g "+
		"seconds.\n%sAdjust your expectations accordingly!\n\n\n", l, took, l, 1e4*took, l)
	return nil
}

// progress prints a line for some transitions; i counts from 0, warm-up included.
func (s *sampling) progress(k, i int) {
	total := s.warmup + s.samples
	if s.refresh == 0 || i >= total {
		return
	}
	phase, m := "Warmup", i
	if i >= s.warmup {
		phase, m = "Sampling", i-s.warmup
	}
	if m != 0 && (m+1)%s.refresh != 0 && i+1 != total {
		return
	}
	width := int(math.Ceil(math.Log10(float64(total))))
	s.printf("%sIteration: %*d / %d [%3d%%]  (%s)\n", s.label(k), width, i+1, total, 100*(i+1)/total, phase)
}

// elapsed prints the times of a chain.
func (s *sampling) elapsed(k int, warmup, sample float64) {
	l := s.label(k)
	pad := strings.Repeat(" ", 15)
	s.printf("\n%s Elapsed Time: %.3f seconds (Warm-up)\n%s%s%.3f seconds (Sampling)\n%s%s%.3f seconds (Total)\n\n", l, warmup, l, pad, sample,
		l, pad, warmup+sample)
}

// header is what stands at the head of the file of draws.
func (s *sampling) header() []string {
	out := append(s.head(), noteSampler, noteConstants)
	for _, name := range []string{"gamma", "kappa", "t0"} {
		if s.adapt.at(name).given {
			out = append(out, "bayeskernel_without_effect = "+name)
		}
	}
	return out
}

// fixed draws generated quantities at one point.
func (s *sampling) fixed(ctx context.Context, k int) error {
	d := s.bound.Dim()
	u := make([]float64, d)
	if s.points[k] != nil {
		copy(u, s.points[k])
	} else if d > 0 {
		t, err := s.bound.Target()
		if err != nil {
			return err
		}
		if u, err = s.start(t, s.seed(s.id+k)); err != nil {
			return err
		}
	}
	began := time.Now()
	thin := s.at("thin").whole()
	var rows [][]float64
	var tail []string
	s.printf("\n")
	for i := range s.samples {
		if err := ctx.Err(); err != nil && len(rows) == 0 {
			return err
		} else if err != nil {
			tail = []string{s.interrupted(len(rows))}
			break
		}
		s.progress(k, s.warmup+i)
		if i%thin != 0 {
			continue
		}
		v, err := s.bound.Generate(u, uint64(s.id+k)<<32|uint64(i))
		if err != nil {
			return reason(err)
		}
		rows = append(rows, append([]float64{0, 0}, v...))
	}
	took := time.Since(began).Seconds()
	err := cmdstan.WriteTable(s.paths[k], cmdstan.Table{Head: s.header(), Names: append([]string{"lp__", "accept_stat__"}, s.columns()...),
		Rows: rows, Digits: s.digits(), Tail: append(tail, cmdstan.Times(0, took)...)})
	if err != nil {
		return err
	}
	s.drawn[k] = len(rows)
	if tail != nil {
		return ctx.Err()
	}
	s.elapsed(k, 0, took)
	return nil
}

// columns are the names of all that a draw has.
func (c *call) columns() []string {
	return append(append([]string{}, c.bound.Names()...), c.bound.Quantities()...)
}

// recorder writes the draws of a chain as they come.
type recorder struct {
	s      *sampling
	k      int
	path   string
	adapts bool
	skip   int // draws that CmdStan counts as warm-up
	at     int
	kept   int   // draws that were written, without those of warm-up
	failed error // of what was written
	w      *cmdstan.Writer
	device string // where the file goes if it is no regular file
	step   float64
	metric draws.Metric
	told   bool
	times  [2]float64
	closed bool
}

func (r *recorder) open(head *draws.Run) (err error) {
	h := *head
	h.Sampler.Metric, h.Sampler.SaveWarmup = r.s.hmc.at("metric").value, r.s.at("save_warmup").truth()
	h.Sampler.Warmup, h.Sampler.Draws = r.s.warmup, r.s.samples
	if info, err := os.Stat(r.path); err == nil && !info.Mode().IsRegular() {
		f, err := os.CreateTemp("", "nuts-*.csv")
		if err != nil {
			return err
		}
		f.Close()
		r.device, r.path = r.path, f.Name()
	}
	r.w, err = cmdstan.New(r.path, &h, r.k, cmdstan.Options{Head: r.s.header(), Digits: r.s.digits(), Times: true})
	return err
}

// Draw keeps a draw, unless it is one more than was asked for.
func (r *recorder) Draw(values []float64, st draws.Stat, warmup bool) error {
	if warmup {
		return r.row(values, st, true)
	}
	i := r.at
	r.at++
	if r.adapts {
		if r.s.samples == 0 {
			return nil
		}
		return r.row(values, st, false)
	}
	thin := r.s.at("thin").whole()
	if i < r.skip {
		if i%thin != 0 {
			return nil
		}
		return r.row(values, st, true)
	}
	if err := r.tell(); err != nil {
		return err
	}
	if i -= r.skip; i >= r.s.samples || i%thin != 0 {
		return nil
	}
	return r.row(values, st, false)
}

// row writes a draw.
func (r *recorder) row(values []float64, st draws.Stat, warmup bool) error {
	if r.failed = r.w.Draw(values, st, warmup); r.failed == nil && !warmup {
		r.kept++
	}
	return r.failed
}

// Adapted takes the metric. The file has the kind that was asked for: of a full metric that the draws chose
// where a diagonal is expected, it shows the diagonal.
func (r *recorder) Adapted(step float64, m draws.Metric) error {
	want := r.s.hmc.at("metric").value
	if m.Dense != nil && want == "diag_e" {
		m = draws.Metric{Kind: "diag_e", Diag: diagonal(m.Dense)}
	}
	if want == "unit_e" {
		m = draws.Metric{Kind: "unit_e"}
	}
	r.step, r.metric = step, m
	if r.adapts {
		return r.tell()
	}
	return nil
}

func diagonal(m [][]float64) []float64 {
	var out []float64
	for i, row := range m {
		out = append(out, row[i])
	}
	return out
}

func (r *recorder) tell() error {
	if r.told {
		return nil
	}
	r.told = true
	if r.failed = r.w.Adapted(r.step, r.metric); r.failed != nil {
		return r.failed
	}
	if !r.s.adapt.at("save_metric").truth() {
		return nil
	}
	m := r.metric
	o := object{{"stepsize", r.step}, {"metric_type", r.s.hmc.at("metric").value}}
	switch {
	case m.Dense != nil:
		o = append(o, field{"inv_metric", m.Dense})
	case m.Diag != nil:
		o = append(o, field{"inv_metric", m.Diag})
	default:
		ones := make([]float64, r.s.bound.Dim())
		for i := range ones {
			ones[i] = 1
		}
		o = append(o, field{"inv_metric", ones})
	}
	return writeJSON(beside(r.s.paths[r.k], "metric"), o)
}

// Close notes the times; finish closes the file.
func (r *recorder) Close(warmup, sample float64) error {
	r.times = [2]float64{warmup, sample}
	return nil
}

func (r *recorder) finish() error {
	if err := r.tell(); err != nil {
		return err
	}
	if err := r.w.Close(r.times[0], r.times[1]); err != nil || r.device == "" {
		return err
	}
	defer os.Remove(r.path)
	b, err := os.ReadFile(r.path)
	if err == nil {
		err = os.WriteFile(r.device, b, 0o644)
	}
	return err
}

// keep leaves what was written before a failure, if that are draws, under the name of an unfinished file, and says so.
func (r *recorder) keep() error {
	if r.kept == 0 || r.device != "" {
		r.discard()
		return r.failed
	}
	_ = r.w.Close(0, 0) // its error is the one that is there
	return fmt.Errorf("%w; what was written before is in %s", r.failed, r.path+atomicfile.Part)
}

// discard removes what was written.
func (r *recorder) discard() {
	if r.w != nil && !r.closed {
		r.closed = true
		_ = r.w.Discard()
		_ = os.Remove(r.path + atomicfile.Part) // after a failure to close it is still there
	}
	if r.device != "" {
		_ = os.Remove(r.path)
	}
}
