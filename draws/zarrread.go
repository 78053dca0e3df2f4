package draws

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
)

// ReadZarr reads a Zarr folder, format 2, with a group posterior and, if there is one, one named
// sample_stats. Folders written by this package give back the run with its names; of others, an
// array theta of shape (chain, draw, …) becomes theta[1], theta[2], …. Only uncompressed arrays can
// be read.
func ReadZarr(dir string) (*Run, error) {
	root := filepath.Clean(dir)
	var attrs struct {
		Record *zarrRecord `json:"bayeskernel"`
	}
	if err := readZarrJSON(filepath.Join(root, zarrAttrsFile), &attrs); err != nil &&
		!errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	r := &Run{}
	if rec := attrs.Record; rec != nil {
		r = &Run{Names: rec.Names, Model: rec.Model, Seed: rec.Seed, Sampler: rec.Sampler,
			Stopped: rec.Stopped, Interrupted: rec.Ended}
	}
	z := &zarrReader{root: root, run: r}
	for _, warmup := range []bool{false, true} {
		if err := z.groups(warmup); err != nil {
			return nil, err
		}
	}
	if attrs.Record != nil {
		if err := attrs.Record.restore(r); err != nil {
			return nil, fmt.Errorf("draws: %s: %w", filepath.Join(root, zarrAttrsFile), err)
		}
	}
	if r.Sampler.Chains == 0 {
		r.Sampler.Chains = len(r.Chains)
	}
	return r, nil
}

// restore fills in what is kept of each chain.
func (rec *zarrRecord) restore(r *Run) error {
	if len(rec.Chains) != len(r.Chains) {
		return fmt.Errorf("%s describes %d chains, expected %d", zarrRecordKey, len(rec.Chains),
			len(r.Chains))
	}
	for c, z := range rec.Chains {
		ch := &r.Chains[c]
		ch.StepSize, ch.Last = float64(z.StepSize), floats(z.Last)
		ch.Metric = Metric{Kind: z.Metric.Kind, Diag: floats(z.Metric.Diag),
			Scale: floats(z.Metric.Scale), Eigen: floats(z.Metric.Eigen)}
		for _, row := range z.Metric.Directions {
			ch.Metric.Directions = append(ch.Metric.Directions, floats(row))
		}
		for _, row := range z.Metric.Dense {
			ch.Metric.Dense = append(ch.Metric.Dense, floats(row))
		}
		for _, d := range z.Divergences {
			e := float64(d.EnergyError)
			if math.IsNaN(e) {
				e = math.Inf(1)
			}
			ch.Divergences = append(ch.Divergences,
				Divergence{d.Draw, floats(d.Start), floats(d.End), e, d.Reason})
		}
		if z.Error != "" {
			ch.Err = errors.New(z.Error)
		}
		ch.WarmupDivergences = z.WarmupDivergences
		ch.Gradients, ch.WarmupGradients = z.Gradients, z.WarmupGradients
		ch.WarmupSeconds, ch.SampleSeconds = z.WarmupSeconds, z.SampleSeconds
	}
	return nil
}

type zarrReader struct {
	root string
	run  *Run
}

// groups reads the pair of groups of warm-up or of the draws proper. Only the posterior must be
// there.
func (z *zarrReader) groups(warmup bool) error {
	posterior, stats := "posterior", "sample_stats"
	if warmup {
		posterior, stats = "warmup_"+posterior, "warmup_"+stats
		if _, err := os.Stat(filepath.Join(z.root, posterior)); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	values, err := z.posterior(posterior)
	if err != nil {
		return err
	}
	if !warmup {
		z.run.Chains = make([]Chain, len(values))
	}
	if len(values) != len(z.run.Chains) {
		return fmt.Errorf("draws: %s has %d chains, expected %d as in the posterior",
			filepath.Join(z.root, posterior), len(values), len(z.run.Chains))
	}
	for c := range values {
		ch, rows := &z.run.Chains[c], make([]Stat, len(values[c]))
		if warmup {
			ch.WarmupValues, ch.WarmupStats = values[c], rows
		} else {
			ch.Values, ch.Stats = values[c], rows
		}
	}
	return z.stats(stats, warmup)
}

// posterior returns chains of rows in the order of the run's names, which it sets if there are
// none.
func (z *zarrReader) posterior(group string) ([][][]float64, error) {
	vars, err := z.variables(group)
	if err != nil {
		return nil, err
	}
	// All arrays are looked at before the table is made, so that names alone cannot ask for memory.
	var chains, n int
	for i, v := range vars {
		path := filepath.Join(z.root, group, v.name)
		m, err := readZarrMeta(path)
		if err == nil {
			err = m.checkChunks(path)
		}
		if err != nil {
			return nil, err
		}
		if len(m.Shape) < 2 || !slices.Equal(m.Shape[2:], v.dims) {
			return nil, fmt.Errorf("draws: %s has shape %v, expected chains, draws and %v", path,
				m.Shape, v.dims)
		}
		if m.elements() == 0 {
			return nil, fmt.Errorf("draws: %s has shape %v, expected at least one value", path, m.Shape)
		}
		if i == 0 {
			chains, n = m.Shape[0], m.Shape[1]
		}
		if chains != m.Shape[0] || n != m.Shape[1] {
			return nil, fmt.Errorf("draws: %s has %d chains of %d draws, expected %d of %d as of %s",
				path, m.Shape[0], m.Shape[1], chains, n, vars[0].name)
		}
	}
	out := newRows(chains, n, len(z.run.Names))
	for _, v := range vars {
		a, err := readZarrArray(filepath.Join(z.root, group, v.name))
		if err != nil {
			return nil, err
		}
		size := len(v.cols)
		for at, x := range a.values {
			out[at/size/n][at/size%n][v.cols[at%size]] = x
		}
	}
	return out, nil
}

func newRows(chains, n, width int) [][][]float64 {
	out := make([][][]float64, chains)
	for c := range out {
		out[c] = make([][]float64, n)
		for i := range out[c] {
			out[c][i] = make([]float64, width)
		}
	}
	return out
}

// variables returns the arrays to read: those that the run's names make, or, if it has none, those
// found in the group.
func (z *zarrReader) variables(group string) ([]variable, error) {
	if len(z.run.Names) > 0 {
		return variables(z.run.Names), z.checkNames()
	}
	entries, err := os.ReadDir(filepath.Join(z.root, group))
	if err != nil {
		return nil, fmt.Errorf("draws: %w", err)
	}
	var out []variable
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		path := filepath.Join(z.root, group, e.Name())
		meta, err := readZarrMeta(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // not an array
		}
		if err != nil {
			return nil, err
		}
		var attrs struct {
			Dims []string `json:"_ARRAY_DIMENSIONS"`
		}
		if err := readZarrJSON(filepath.Join(path, zarrAttrsFile), &attrs); err != nil {
			return nil, err
		}
		if len(attrs.Dims) < 2 || attrs.Dims[0] != "chain" || attrs.Dims[1] != "draw" {
			continue // a coordinate
		}
		// The file behind an array is as large as its elements, so this many names are affordable.
		if err := meta.checkChunks(path); err != nil {
			return nil, err
		}
		v := variable{name: e.Name(), origin: 1}
		size := 1
		if len(meta.Shape) > 2 {
			v.dims = meta.Shape[2:]
			for _, d := range v.dims {
				size *= d
			}
		}
		for at := range size {
			v.cols = append(v.cols, len(z.run.Names))
			z.run.Names = append(z.run.Names, v.element(at, v.origin, "[", ",", "]"))
		}
		out = append(out, v)
	}
	if out == nil {
		return nil, fmt.Errorf("draws: %s has no arrays with dimensions chain and draw, expected at "+
			"least one", filepath.Join(z.root, group))
	}
	return out, nil
}

// checkNames keeps names from leading out of the folder, and twice to the same array.
func (z *zarrReader) checkNames() error {
	seen := map[string]bool{}
	for _, v := range variables(z.run.Names) {
		if err := checkZarrName(v.name); err != nil {
			return err
		}
		if seen[v.name] {
			return fmt.Errorf("draws: %s: parameter name %q is recorded twice", z.root, v.name)
		}
		seen[v.name] = true
	}
	return nil
}

// stats fills in the statistics that are there.
func (z *zarrReader) stats(group string, warmup bool) error {
	for k, name := range zarrStats {
		path := filepath.Join(z.root, group, name)
		if _, err := os.Stat(filepath.Join(path, zarrArrayFile)); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		a, err := readZarrArray(path)
		if err != nil {
			return err
		}
		at := 0
		for c := range z.run.Chains {
			rows := z.run.Chains[c].Stats
			if warmup {
				rows = z.run.Chains[c].WarmupStats
			}
			if len(a.Shape) != 2 || a.Shape[0] != len(z.run.Chains) || a.Shape[1] != len(rows) {
				return fmt.Errorf("draws: %s has shape %v, expected [%d %d]", path, a.Shape,
					len(z.run.Chains), len(rows))
			}
			for i := range rows {
				rows[i].set(k, a.values[at])
				at++
			}
		}
	}
	return nil
}

// set sets the k-th statistic in the order of the columns of CmdStan, which is also that of
// zarrStats.
func (s *Stat) set(k int, x float64) {
	switch k {
	case 0:
		s.LP = x
	case 1:
		s.AcceptStat = x
	case 2:
		s.StepSize = x
	case 3:
		s.TreeDepth = int(x)
	case 4:
		s.Leapfrogs = int(x)
	case 5:
		s.Divergent = x != 0
	case 6:
		s.Energy = x
	}
}

func readZarrJSON(path string, v any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("draws: %w", err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("draws: %s: %w", path, err)
	}
	return nil
}
