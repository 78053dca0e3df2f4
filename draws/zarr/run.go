package zarr

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"bayeskernel/draws"
	"bayeskernel/draws/internal/layout"
	"bayeskernel/internal/jsonfloat"
)

// Options configures Write. By default equal runs make equal folders.
type Options struct {
	// Created, if not zero, is recorded together with the seconds that the chains took.
	Created time.Time
	// Groups are written beside those of the run: predictions, log likelihoods.
	Groups []Group
	// Dims gives the dimensions of array parameters by name: theta, not theta[1]. Parameters not
	// listed get theta_dim_0 and so on, as in ArviZ.
	Dims map[string][]Dim
}

// statNames are the sampler's statistics under the names that ArviZ gives them.
var statNames = [...]string{"lp", "acceptance_rate", "step_size", "tree_depth", "n_steps",
	"diverging", "energy"}

// record holds everything in a Run except values and statistics. It is kept in the root's
// attributes.
type record struct {
	Format  int           `json:"format"`
	Names   []string      `json:"names"`
	Model   string        `json:"model"`
	Seed    uint64        `json:"seed"`
	Sampler draws.Sampler `json:"sampler"`
	Stopped string        `json:"stopped"`
	Ended   string        `json:"interrupted,omitempty"`
	Chains  []chainRecord `json:"chains"`
}

type chainRecord struct {
	Chain             int                `json:"chain"` // counted from 0 in the run that was written
	Error             string             `json:"error"`
	StepSize          jsonfloat.Number   `json:"step_size"`
	Metric            metricRecord       `json:"metric"`
	Unadapted         bool               `json:"metric_unadapted,omitempty"`
	Windows           []draws.Window     `json:"windows,omitempty"`
	Coordinates       []jsonfloat.Number `json:"coordinates,omitempty"`
	Last              []jsonfloat.Number `json:"last"`
	Divergences       []divergenceRecord `json:"divergences"`
	WarmupDivergences int                `json:"warmup_divergences"`
	Gradients         int                `json:"gradients"`
	WarmupGradients   int                `json:"warmup_gradients"`
	WarmupSeconds     float64            `json:"warmup_seconds,omitempty"`
	SampleSeconds     float64            `json:"sample_seconds,omitempty"`
}

// metricRecord is a metric with every part under its name, but for those that are empty.
type metricRecord draws.Metric

func (m metricRecord) MarshalJSON() ([]byte, error) {
	members := []jsonfloat.Member{{Key: "kind", Value: m.Kind}, {Key: "diag", Value: jsonfloat.Slice(m.Diag)},
		{Key: "dense", Value: table(m.Dense)}}
	for _, p := range m.Parts {
		switch {
		case len(p.List) > 0:
			members = append(members, jsonfloat.Member{Key: p.Name, Value: jsonfloat.Slice(p.List)})
		case len(p.Table) > 0:
			members = append(members, jsonfloat.Member{Key: p.Name, Value: table(p.Table)})
		}
	}
	return jsonfloat.Object(members)
}

func table(rows [][]float64) (out [][]jsonfloat.Number) {
	for _, row := range rows {
		out = append(out, jsonfloat.Slice(row))
	}
	return out
}

type divergenceRecord struct {
	Draw        int                `json:"draw"`
	Start       []jsonfloat.Number `json:"start"`
	End         []jsonfloat.Number `json:"end"`
	EnergyError jsonfloat.Number   `json:"energy_error"` // null stands for +Inf
	Reason      string             `json:"reason"`
}

// Write writes a folder of Zarr format 2 that xarray and ArviZ read as InferenceData: groups
// posterior and sample_stats, warmup_posterior and warmup_sample_stats if warm-up was saved, and
// those of opts. Parameters theta[1], theta[2], … become one variable theta. Some file systems
// ignore case. If names differ only in case, all but the first get a number: Mu and mu become Mu
// and mu_2.
//
// A Zarr array is rectangular, so if chains differ in length only the draws that Summary uses are
// written. An existing folder at dir is replaced if it is a Zarr folder. The folder appears whole
// or not at all.
func Write(dir string, r *draws.Run, opts Options) error {
	if r == nil {
		return errors.New("zarr: run is nil, want one with draws")
	}
	if err := r.Check(); err != nil {
		return err
	}
	v := view{Run: r}
	if v.chains, v.n = r.Used(); len(v.chains) == 0 {
		return errors.New("zarr: run has no draws, want at least one to write")
	}
	attrs := map[string]any{recordKey: v.record(!opts.Created.IsZero())}
	return create(dir, attrs, func(w *writer) {
		w.draws(v, "", v.n, func(c int) *draws.Chain { return &r.Chains[c] }, opts)
		if n := v.warmupLength(); n > 0 {
			w.draws(v, "warmup_", n, func(c int) *draws.Chain {
				return &draws.Chain{Values: r.Chains[c].WarmupValues, Stats: r.Chains[c].WarmupStats}
			}, opts)
		}
		w.groups(opts.Groups)
	})
}

// view is a run seen as chains of equal length.
type view struct {
	*draws.Run
	chains []int // those used
	n      int   // draws of each
}

// warmupLength is the number of saved warm-up rows that all chains used have.
func (v view) warmupLength() int {
	n := math.MaxInt
	for _, c := range v.chains {
		n = min(n, len(v.Chains[c].WarmupValues), len(v.Chains[c].WarmupStats))
	}
	return n
}

func (v view) record(times bool) record {
	rec := record{Format: 1, Names: v.Names, Model: v.Model, Seed: v.Seed, Sampler: v.Sampler,
		Stopped: v.Stopped, Ended: v.Interrupted}
	for _, c := range v.chains {
		ch := &v.Chains[c]
		z := chainRecord{
			Chain: c, StepSize: jsonfloat.Number(ch.StepSize), Last: jsonfloat.Slice(ch.Last),
			Metric:            metricRecord(ch.Metric),
			WarmupDivergences: ch.WarmupDivergences, Gradients: ch.Gradients,
			WarmupGradients: ch.WarmupGradients, Unadapted: ch.Unadapted, Windows: ch.Windows,
			Coordinates: jsonfloat.Slice(ch.Coordinates),
		}
		if times {
			z.WarmupSeconds, z.SampleSeconds = ch.WarmupSeconds, ch.SampleSeconds
		}
		if ch.Err != nil {
			z.Error = ch.Err.Error()
		}
		for _, d := range ch.Divergences {
			z.Divergences = append(z.Divergences, divergenceRecord{d.Draw, jsonfloat.Slice(d.Start),
				jsonfloat.Slice(d.End), jsonfloat.Number(d.EnergyError), d.Reason})
		}
		rec.Chains = append(rec.Chains, z)
	}
	return rec
}

// draws writes the two groups of warm-up or of the draws proper: the first n rows of each chain that of returns.
func (w *writer) draws(v view, prefix string, n int, of func(c int) *draws.Chain, opts Options) {
	chains := v.chains
	posterior, stats := prefix+"posterior", prefix+"sample_stats"
	for _, group := range []string{posterior, stats} {
		attrs := map[string]any{"inference_library": "bayeskernel"}
		if !opts.Created.IsZero() {
			attrs["created_at"] = opts.Created.UTC().Format(time.RFC3339Nano)
		}
		w.group(group, attrs)
		w.coordinate(group, "chain", len(chains), func(i int) int { return chains[i] })
		w.coordinate(group, "draw", n, func(i int) int { return i })
	}
	known := map[string]Dim{}
	for _, x := range distinct(layout.Variables(v.Names)) {
		shape, dims := w.shape(posterior, x, opts.Dims[x.Name], known, len(chains), n)
		w.chunks(posterior, x.Name, floatType, shape, dims, func(from, to int, out *bufio.Writer) error {
			return writeValues(out, of(chains[from/(to-from)]), x.Cols, n)
		})
	}
	for k, name := range statNames {
		w.chunks(stats, name, statType(k), []int{len(chains), n}, []string{"chain", "draw"},
			func(from, to int, out *bufio.Writer) error {
				return of(chains[from/n]).EachStat(func(i int, s draws.Stat) {
					if i < n {
						out.Write(appendStat(out.AvailableBuffer(), k, s)) // Flush returns its error
					}
				})
			})
	}
}

// writeValues writes the columns of a variable of the first n draws of a chain.
func writeValues(out *bufio.Writer, c *draws.Chain, cols []int, n int) error {
	first := slices.Min(cols)
	return c.Part(first, slices.Max(cols)+1, n, func(_ int, row []float64) error {
		b := out.AvailableBuffer()
		for _, j := range cols {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(row[j-first]))
		}
		_, err := out.Write(b)
		return err
	})
}

func statType(k int) dtype {
	return [...]dtype{floatType, floatType, floatType, intType, intType, boolType, floatType}[k]
}

func appendStat(b []byte, k int, s draws.Stat) []byte {
	switch k {
	case 3:
		return binary.LittleEndian.AppendUint64(b, uint64(s.TreeDepth))
	case 4:
		return binary.LittleEndian.AppendUint64(b, uint64(s.Leapfrogs))
	case 5:
		if s.Divergent {
			return append(b, 1)
		}
		return append(b, 0)
	}
	x := [...]float64{0: s.LP, 1: s.AcceptStat, 2: s.StepSize, 6: s.Energy}[k]
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
}

// shape returns the shape of a parameter and its dimensions, those given or those that ArviZ would give it, and
// writes their coordinates.
func (w *writer) shape(group string, x layout.Variable, given []Dim, known map[string]Dim, chains, n int) (
	shape []int, dims []string) {
	if err := checkName(x.Name); err != nil && w.err == nil {
		w.err = err
	}
	shape, dims = []int{chains, n}, []string{"chain", "draw"}
	if given != nil && len(given) != len(x.Dims) && w.err == nil {
		w.err = fmt.Errorf("zarr: %s has %d dimensions, and Dims gives %d", x.Name, len(x.Dims),
			len(given))
	}
	if w.err != nil {
		return shape, dims
	}
	for k, size := range x.Dims {
		d := Dim{Name: x.Name + "_dim_" + strconv.Itoa(k), Size: size}
		if given != nil {
			d = given[k]
		}
		w.shared(group, x.Name, d, known)
		if d.Size != size && w.err == nil {
			w.err = fmt.Errorf("zarr: dimension %q of %s has size %d, want %d", d.Name, x.Name, d.Size, size)
		}
		shape, dims = append(shape, size), append(dims, d.Name)
	}
	return shape, dims
}
