package hmc

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"bayeskernel/internal/atomicfile"
)

// A checkpoint is one file: a line that names the format, the SHA-256 of the rest, and the rest: a
// gob of what the run is (checkpointHead) and of where each chain stands (chainState).
const checkpointMagic = "bayeskernel checkpoint 1\n"

// checkpointHead tells one run from another. Two runs with equal heads make equal draws.
type checkpointHead struct {
	Fields []headField
	Chains int
}

type headField struct{ Name, Value string }

// fingerprint describes the run. Parallel, hooks, files, Draws and Until are left out: they change
// no draw, so a resumed run may have others.
func (r *runner) fingerprint() checkpointHead {
	s := r.settings
	sampler := r.head.Sampler
	h := checkpointHead{Chains: s.Chains}
	add := func(name string, v any) {
		h.Fields = append(h.Fields, headField{name, fmt.Sprintf("%v", v)})
	}
	quoted := func(v string) string {
		if v == "" {
			return "none"
		}
		return v
	}
	add("sampler", sampler.Algorithm)
	add("dimension", r.dim)
	add("list of names", strings.Join(r.names, " "))
	add("seed", s.Seed)
	add("number of chains", s.Chains)
	add("numerical path", quoted(s.Path))
	add("warm-up", s.Warmup)
	add("model", quoted(s.Model))
	add("thinning", s.Thin)
	add("keeping of warm-up draws", s.SaveWarmup)
	add("target acceptance", s.TargetAccept)
	add("maximum tree depth", sampler.MaxDepth)
	add("length of trajectories", sampler.PathLength)
	add("maximum number of steps", sampler.MaxSteps)
	add("jitter of trajectories", sampler.Jitter)
	add("metric", s.Metric)
	add("metric in use", sampler.Metric)
	add("estimator", quoted(sampler.Estimator))
	add("transitions before the first window", sampler.InitBuffer)
	add("length of the first window", sampler.Window)
	add("transitions after the last window", sampler.TermBuffer)
	add("warm-up as Stan's", s.StanWarmup)
	add("statistic of acceptance", s.Acceptance)
	add("first step size", s.StepSize)
	add("jitter of the step size", s.StepJitter)
	add("radius of initial points", s.InitRadius)
	add("random source", s.Source)
	add("gradient check", !s.SkipGradientCheck)
	start := sha256.Sum256(fmt.Appendf(nil, "%v %v %v", s.Init, s.InitFrom, s.WarmStart))
	add("checksum of initial points", fmt.Sprintf("%x", start[:8]))
	return h
}

// slots holds the newest snapshot of each chain.
type slots struct {
	mu    sync.Mutex
	bytes [][]byte
}

// snapshot encodes the state of a chain between two transitions.
func (r *runner) snapshot(c *chain) error {
	if err := c.save(); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(&c.state); err != nil {
		return fmt.Errorf("hmc: checkpoint of chain %d: %w", c.id+1, err)
	}
	r.slots.mu.Lock()
	defer r.slots.mu.Unlock()
	r.slots.bytes[c.id] = b.Bytes()
	return nil
}

// checkpointNow starts the periodic writing of checkpoints, if it was asked for, and returns what
// ends it.
func (r *runner) checkpointNow() (stop func()) {
	if r.settings.CheckpointEvery <= 0 {
		return func() {}
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(r.settings.CheckpointEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				r.wanted.Add(1)
				// What the chains snapshot now is written at the next tick; what they did
				// at the last one, now. A failure shows at the end of the run, when the
				// same file is written again.
				_ = r.writeCheckpoint(false)
			}
		}
	})
	return func() { close(done); wg.Wait() }
}

// writeCheckpoint writes the newest snapshots; final takes new ones first, which only the end of a
// run may.
func (r *runner) writeCheckpoint(final bool) error {
	if final {
		for _, c := range r.chains {
			if c.torn || !c.state.Started {
				continue // it goes on from its last snapshot, or begins anew
			}
			if err := r.snapshot(c); err != nil {
				return err
			}
		}
	}
	r.slots.mu.Lock()
	defer r.slots.mu.Unlock()
	var b bytes.Buffer
	enc := gob.NewEncoder(&b)
	if err := enc.Encode(r.mark); err != nil {
		return fmt.Errorf("hmc: checkpoint: %w", err)
	}
	if err := enc.Encode(r.slots.bytes); err != nil {
		return fmt.Errorf("hmc: checkpoint: %w", err)
	}
	sum := sha256.Sum256(b.Bytes())
	return atomicfile.Write(r.settings.Checkpoint, func(w io.Writer) error {
		for _, part := range [][]byte{[]byte(checkpointMagic), sum[:], b.Bytes()} {
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
		return nil
	})
}

// readCheckpoint returns the states in a checkpoint of the run that head describes; any other file
// is refused with the reason.
func readCheckpoint(path string, head checkpointHead) ([]chainState, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("hmc: checkpoint: %w", err)
	}
	states, err := parseCheckpoint(b, head)
	if err != nil {
		return nil, fmt.Errorf("hmc: checkpoint %s: %w", path, err)
	}
	return states, nil
}

func parseCheckpoint(b []byte, head checkpointHead) (states []chainState, err error) {
	rest, ok := bytes.CutPrefix(b, []byte(checkpointMagic))
	if !ok {
		return nil, fmt.Errorf("not a checkpoint: it begins %q, expected %q",
			b[:min(len(b), len(checkpointMagic))], checkpointMagic)
	}
	if len(rest) < sha256.Size {
		return nil, fmt.Errorf("cut short: %d bytes", len(b))
	}
	body := rest[sha256.Size:]
	if sum := sha256.Sum256(body); !bytes.Equal(sum[:], rest[:sha256.Size]) {
		return nil, fmt.Errorf("damaged: its checksum is %x…, expected %x…", sum[:6], rest[:6])
	}
	dec := gob.NewDecoder(bytes.NewReader(body))
	var got checkpointHead
	if err := dec.Decode(&got); err != nil {
		return nil, fmt.Errorf("not readable: %w", err)
	}
	if err := head.same(got); err != nil {
		return nil, err
	}
	var parts [][]byte
	if err := dec.Decode(&parts); err != nil {
		return nil, fmt.Errorf("not readable: %w", err)
	}
	if len(parts) != head.Chains {
		return nil, fmt.Errorf("holds %d chains, expected %d", len(parts), head.Chains)
	}
	states = make([]chainState, len(parts))
	for i, p := range parts {
		if len(p) == 0 {
			continue // this chain had not begun
		}
		if err := gob.NewDecoder(bytes.NewReader(p)).Decode(&states[i]); err != nil {
			return nil, fmt.Errorf("chain %d is not readable: %w", i+1, err)
		}
	}
	return states, nil
}

// same names every field in which another run differs, one to a line.
func (h checkpointHead) same(o checkpointHead) error {
	was := map[string]string{}
	for _, f := range o.Fields {
		was[f.Name] = f.Value
	}
	var lines []string
	for _, f := range h.Fields {
		if v, ok := was[f.Name]; !ok {
			lines = append(lines, fmt.Sprintf("its %s is not recorded, here it is %s", f.Name, f.Value))
		} else if v != f.Value {
			its, here := differing(v, f.Value)
			lines = append(lines, fmt.Sprintf("its %s is %s, here it is %s", f.Name, its, here))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return fmt.Errorf("made by another run:\n  %s", strings.Join(lines, "\n  "))
}

// differing leaves out the items of two lists, separated by commas, that they begin and end with
// alike, so that a message about two long descriptions shows what is different.
func differing(a, b string) (string, string) {
	const sep = ", "
	x, y := strings.Split(a, sep), strings.Split(b, sep)
	from, to := 0, 0
	least := min(len(x), len(y))
	for from < least-1 && x[from] == y[from] {
		from++
	}
	for to < least-1-from && x[len(x)-1-to] == y[len(y)-1-to] {
		to++
	}
	cut := func(list []string) string {
		text := strings.Join(list[from:len(list)-to], sep)
		if from > 0 {
			text = "… " + text
		}
		if to > 0 {
			text += " …"
		}
		return text
	}
	return cut(x), cut(y)
}
