package draws

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"bayeskernel/internal/atomicfile"
)

// ZarrOptions adjusts a Zarr folder. By default equal runs make equal folders.
type ZarrOptions struct {
	// Created, if not zero, is recorded together with the seconds that the chains took.
	Created time.Time
}

// The files of the format, version 2, and the key under which xarray looks for dimensions.
const (
	zarrGroupFile = ".zgroup"
	zarrArrayFile = ".zarray"
	zarrAttrsFile = ".zattrs"
	zarrAllFile   = ".zmetadata"
	zarrDims      = "_ARRAY_DIMENSIONS"
	zarrRecordKey = "bayeskernel"
)

// zarrStats are the sampler's statistics under the names that ArviZ gives them.
var zarrStats = [...]string{"lp", "acceptance_rate", "step_size", "tree_depth", "n_steps",
	"diverging", "energy"}

// zarrRecord is kept in the root's attributes: what a Run holds beside values and statistics.
type zarrRecord struct {
	Format  int         `json:"format"`
	Names   []string    `json:"names"`
	Model   string      `json:"model"`
	Seed    uint64      `json:"seed"`
	Sampler Sampler     `json:"sampler"`
	Stopped string      `json:"stopped"`
	Ended   string      `json:"interrupted,omitempty"`
	Chains  []zarrChain `json:"chains"`
}

type zarrChain struct {
	Chain             int              `json:"chain"` // counted from 0 in the run that was written
	Error             string           `json:"error"`
	StepSize          number           `json:"step_size"`
	Metric            zarrMetric       `json:"metric"`
	Last              []number         `json:"last"`
	Divergences       []zarrDivergence `json:"divergences"`
	WarmupDivergences int              `json:"warmup_divergences"`
	Gradients         int              `json:"gradients"`
	WarmupGradients   int              `json:"warmup_gradients"`
	WarmupSeconds     float64          `json:"warmup_seconds,omitempty"`
	SampleSeconds     float64          `json:"sample_seconds,omitempty"`
}

type zarrMetric struct {
	Kind  string     `json:"kind"`
	Diag  []number   `json:"diag"`
	Dense [][]number `json:"dense"`

	Scale      []number   `json:"scale,omitempty"` // of a low-rank metric
	Eigen      []number   `json:"eigen,omitempty"`
	Directions [][]number `json:"directions,omitempty"`
}

type zarrDivergence struct {
	Draw        int      `json:"draw"`
	Start       []number `json:"start"`
	End         []number `json:"end"`
	EnergyError number   `json:"energy_error"` // null stands for +Inf
	Reason      string   `json:"reason"`
}

// WriteZarr writes a folder of Zarr format 2 that xarray and ArviZ read as InferenceData: groups
// posterior and sample_stats, and warmup_posterior and warmup_sample_stats if warm-up was saved.
// Parameters theta[1], theta[2], … become one variable theta. Values are not compressed.
//
// A Zarr array is rectangular: of a run with chains of different lengths those draws are written
// that Summary uses. A folder that stands at dir is replaced if it is a Zarr folder. The folder
// appears whole or not at all.
func WriteZarr(dir string, r *Run, opts ZarrOptions) error {
	if err := r.check(); err != nil {
		return err
	}
	v := r.view()
	if len(v.chains) == 0 {
		return errors.New("draws: run has no draws, expected at least one to write")
	}
	replaceable := func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, zarrGroupFile))
		return err == nil
	}
	return atomicfile.WriteDir(filepath.Clean(dir), replaceable, func(part string) error {
		w := &zarrWriter{root: part, meta: map[string]any{}}
		w.group("", map[string]any{zarrRecordKey: v.record(!opts.Created.IsZero())})
		w.draws(v, "", v.chains, v.n, false, opts)
		if n := v.warmupLength(); n > 0 {
			w.draws(v, "warmup_", v.chains, n, true, opts)
		}
		w.json("", zarrAllFile, map[string]any{"zarr_consolidated_format": 1, "metadata": w.meta})
		return w.err
	})
}

// warmupLength is the number of saved warm-up rows that all chains used have.
func (v view) warmupLength() int {
	n := math.MaxInt
	for _, c := range v.chains {
		n = min(n, len(v.Chains[c].WarmupValues), len(v.Chains[c].WarmupStats))
	}
	return n
}

func (v view) record(times bool) zarrRecord {
	rec := zarrRecord{Format: 1, Names: v.Names, Model: v.Model, Seed: v.Seed, Sampler: v.Sampler,
		Stopped: v.Stopped, Ended: v.Interrupted}
	for _, c := range v.chains {
		ch := &v.Chains[c]
		z := zarrChain{
			Chain: c, StepSize: number(ch.StepSize), Last: numbers(ch.Last),
			Metric:            zarrMetric{Kind: ch.Metric.Kind, Diag: numbers(ch.Metric.Diag)},
			WarmupDivergences: ch.WarmupDivergences, Gradients: ch.Gradients,
			WarmupGradients: ch.WarmupGradients,
		}
		if times {
			z.WarmupSeconds, z.SampleSeconds = ch.WarmupSeconds, ch.SampleSeconds
		}
		if ch.Err != nil {
			z.Error = ch.Err.Error()
		}
		for _, row := range ch.Metric.Dense {
			z.Metric.Dense = append(z.Metric.Dense, numbers(row))
		}
		if ch.Metric.Kind == "low_rank" {
			z.Metric.Scale, z.Metric.Eigen = numbers(ch.Metric.Scale), numbers(ch.Metric.Eigen)
			for _, row := range ch.Metric.Directions {
				z.Metric.Directions = append(z.Metric.Directions, numbers(row))
			}
		}
		for _, d := range ch.Divergences {
			z.Divergences = append(z.Divergences, zarrDivergence{d.Draw, numbers(d.Start),
				numbers(d.End), number(d.EnergyError), d.Reason})
		}
		rec.Chains = append(rec.Chains, z)
	}
	return rec
}

// zarrWriter writes files below root and collects their metadata. After an error it does nothing.
type zarrWriter struct {
	root string
	meta map[string]any
	err  error
}

// draws writes the two groups of warm-up or of the draws proper.
func (w *zarrWriter) draws(v view, prefix string, chains []int, n int, warmup bool,
	opts ZarrOptions) {
	rows := func(c int) ([][]float64, []Stat) {
		if warmup {
			return v.Chains[c].WarmupValues[:n], v.Chains[c].WarmupStats[:n]
		}
		return v.Chains[c].Values[:n], v.Chains[c].Stats[:n]
	}
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
	for _, x := range variables(v.Names) {
		w.variable(posterior, x, chains, n, func(c, i, j int) float64 {
			values, _ := rows(c)
			return values[i][j]
		})
	}
	for k, name := range zarrStats {
		w.array(stats, name, statType(k), []int{len(chains), n}, []string{"chain", "draw"},
			func(b []byte, at int) []byte {
				_, s := rows(chains[at/n])
				return appendStat(b, k, s[at%n])
			})
	}
}

func statType(k int) zarrType {
	return [...]zarrType{zarrFloat, zarrFloat, zarrFloat, zarrInt, zarrInt, zarrBool, zarrFloat}[k]
}

func appendStat(b []byte, k int, s Stat) []byte {
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

// variable writes a parameter with the dimensions that ArviZ would give it, and their coordinates.
func (w *zarrWriter) variable(group string, x variable, chains []int, n int,
	value func(c, i, j int) float64) {
	if err := checkZarrName(x.name); err != nil && w.err == nil {
		w.err = err
	}
	shape, dims := []int{len(chains), n}, []string{"chain", "draw"}
	for k, d := range x.dims {
		dim := x.name + "_dim_" + strconv.Itoa(k)
		shape, dims = append(shape, d), append(dims, dim)
		w.coordinate(group, dim, d, func(i int) int { return i })
	}
	size := len(x.cols)
	w.array(group, x.name, zarrFloat, shape, dims, func(b []byte, at int) []byte {
		v := value(chains[at/size/n], at/size%n, x.cols[at%size])
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	})
}

// checkZarrName refuses names that are not the name of one folder everywhere.
func checkZarrName(name string) error {
	if name == "" || name[0] == '.' || strings.ContainsAny(name, `/\`) ||
		strings.ContainsRune(name, 0) {
		return fmt.Errorf("draws: parameter name %q cannot name a Zarr array: it must not be empty, "+
			"begin with a dot or contain a slash", name)
	}
	return nil
}

func (w *zarrWriter) coordinate(group, name string, n int, value func(int) int) {
	w.array(group, name, zarrInt, []int{n}, []string{name}, func(b []byte, at int) []byte {
		return binary.LittleEndian.AppendUint64(b, uint64(value(at)))
	})
}

// array writes an array in one chunk per chain, or one chunk if it has one dimension. Elements are
// asked for in the order of memory, the last index running fastest.
func (w *zarrWriter) array(group, name string, t zarrType, shape []int, dims []string,
	element func(b []byte, at int) []byte) {
	path := group + "/" + name
	if _, ok := w.meta[path+"/"+zarrArrayFile]; ok && w.err == nil {
		w.err = fmt.Errorf("draws: parameter name %q is taken by another parameter or a dimension of "+
			"the Zarr group, rename it", name)
	}
	chunks := append([]int(nil), shape...)
	size, blocks := 1, 1
	for _, d := range shape {
		size *= d
	}
	if len(shape) > 1 {
		blocks, chunks[0] = shape[0], 1
	}
	null := json.RawMessage("null")
	w.mkdir(path)
	w.json(path, zarrArrayFile, zarrMeta{Format: 2, Shape: shape, Chunks: chunks, DType: t,
		Compressor: null, FillValue: null, Order: "C", Filters: null})
	w.json(path, zarrAttrsFile, map[string]any{zarrDims: dims})
	suffix := strings.Repeat(".0", len(shape)-1)
	for c := range blocks {
		var b []byte
		for at := c * size / blocks; at < (c+1)*size/blocks && w.err == nil; at++ {
			b = element(b, at)
		}
		w.file(path, strconv.Itoa(c)+suffix, b)
	}
}

func (w *zarrWriter) group(path string, attrs map[string]any) {
	w.mkdir(path)
	w.json(path, zarrGroupFile, map[string]any{"zarr_format": 2})
	w.json(path, zarrAttrsFile, attrs)
}

func (w *zarrWriter) mkdir(path string) {
	if w.err != nil {
		return
	}
	if err := os.MkdirAll(filepath.Join(w.root, path), 0o777); err != nil {
		w.err = fmt.Errorf("draws: %w", err)
	}
}

// json writes one of the format's own files and remembers it for the consolidated metadata.
func (w *zarrWriter) json(path, file string, v any) {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		if w.err == nil {
			w.err = fmt.Errorf("draws: %w", err)
		}
		return
	}
	w.file(path, file, append(b, '\n'))
	w.meta[strings.TrimPrefix(path+"/"+file, "/")] = v
}

func (w *zarrWriter) file(path, file string, b []byte) {
	if w.err != nil {
		return
	}
	if err := os.WriteFile(filepath.Join(w.root, path, file), b, 0o666); err != nil {
		w.err = fmt.Errorf("draws: %w", err)
	}
}
