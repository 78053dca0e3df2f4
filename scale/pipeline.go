package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"reflect"
	"sync"
	"sync/atomic"

	"bayeskernel/frame"
	"bayeskernel/internal/shards"
	"bayeskernel/summary"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

// Functions and types are registered so that workers know them, the combiner as a pointer: Beam calls
// its methods on one.
func init() {
	register.DoFn3x1[context.Context, string, func(stretch), error](&findFn{})
	register.Emitter1[stretch]()
	register.DoFn2x2[context.Context, stretch, []byte, error](&summariseFn{})
	register.DoFn2x1[context.Context, []byte, error](&writeFn{})
	register.Combiner1[[]byte](&mergeFn{})
	beam.RegisterType(reflect.TypeFor[stretch]())
}

// stretch is an element: units that one worker reads one after the other, into one summary.
type stretch struct{ Units []shards.Unit }

// A stretch is as long as a worker may lose without harm, and where there are fewer bytes, short enough that
// some dozens are shared out. Summaries are megabytes that are encoded and merged for each.
const (
	longest   = 64 << 20
	shortest  = 1 << 20
	stretches = 32
)

// together joins neighbouring units, of so many bytes each, to stretches. What is in one does not change the
// bytes of the result.
func together(units []shards.Unit, size func(shards.Unit) int64) []stretch {
	total := int64(0)
	for _, u := range units {
		total += size(u)
	}
	full := min(max(total/stretches, shortest), longest)
	var out []stretch
	room := int64(0)
	for _, u := range units {
		n := size(u)
		if len(out) == 0 || room < n {
			out, room = append(out, stretch{}), full
		}
		last := &out[len(out)-1]
		last.Units, room = append(last.Units, u), room-n
	}
	return out
}

// sizes returns the bytes of units: a group of rows has its share of its file. A file that cannot be looked at
// counts as a whole stretch.
func sizes(ctx context.Context, units []shards.Unit) func(shards.Unit) int64 {
	groups, bytes := map[string]int64{}, map[string]int64{}
	for _, u := range units {
		groups[u.File]++
	}
	for name := range groups {
		bytes[name] = longest
		if n, err := sizeOf(ctx, name); err == nil {
			bytes[name] = n
		}
	}
	return func(u shards.Unit) int64 { return bytes[u.File] / groups[u.File] }
}

// pass is what a job has to do.
type pass struct {
	Plan     []byte
	Sample   string
	Patterns []string
	Out      string
	Skip     bool
}

// build lays out the job, which writes made. Stretches are spread over the workers before they are read, since
// an element and what follows it would otherwise stay on one.
func (j pass) build(s beam.Scope, made string) {
	list := beam.Reshuffle(s, beam.ParDo(s, &findFn{Patterns: j.Patterns, Out: j.Out}, beam.Create(s, j.Sample)))
	sums := beam.ParDo(s, &summariseFn{Plan: j.Plan, Skip: j.Skip}, list)
	beam.ParDo0(s, &writeFn{Out: made}, beam.Combine(s, &mergeFn{Plan: j.Plan}, sums))
}

// findFn finds the files of a sample, and cuts them into stretches.
type findFn struct {
	Patterns []string
	Out      string
}

// ProcessElement emits the stretches. A pattern that matches nothing is an error: the job would end well and
// leave no file.
func (f *findFn) ProcessElement(ctx context.Context, sample string, emit func(stretch)) error {
	units, err := unitsOf(ctx, sample, f.Patterns)
	if err != nil {
		return marked(err)
	}
	for i, u := range units {
		if (i == 0 || u.File != units[i-1].File) && sameFile(u.File, f.Out) {
			return marked(errIsRead(f.Out))
		}
	}
	elements := together(units, sizes(ctx, units))
	at.found.Store(int64(len(elements)))
	for _, e := range elements {
		emit(e)
	}
	return nil
}

// unitsOf cuts files into units: files, and groups of rows of local Parquet files.
func unitsOf(ctx context.Context, sample string, patterns []string) ([]shards.Unit, error) {
	files, err := expand(ctx, patterns)
	if err != nil {
		return nil, err
	}
	return shards.Units(ctx, sample, files, shards.Options{Open: open})
}

// plans are those that this process has parsed, by their bytes: elements are many, and a plan takes longer
// to parse than a small file to read. A plan is not changed once it is made.
var plans sync.Map

// parsed returns the plan of its bytes.
func parsed(b []byte) (*summary.Plan, error) {
	key := sha256.Sum256(b)
	if p, ok := plans.Load(key); ok {
		return p.(*summary.Plan), nil
	}
	p, err := summary.ParsePlan(b)
	if err != nil {
		return nil, err
	}
	kept, _ := plans.LoadOrStore(key, p)
	return kept.(*summary.Plan), nil
}

// summariseFn makes the summary of a stretch.
type summariseFn struct {
	Plan []byte
	Skip bool
}

// ProcessElement reads the units.
func (f *summariseFn) ProcessElement(ctx context.Context, e stretch) ([]byte, error) {
	p, err := parsed(f.Plan)
	if err != nil {
		return nil, err
	}
	s, err := summary.New(p)
	if err != nil {
		return nil, err
	}
	for _, u := range e.Units {
		if err := u.Add(ctx, s, shards.Options{Skip: f.Skip, Open: open,
			Remedies: frame.Remedies{Missing: "-skip-missing"}}); ctx.Err() != nil {
			return nil, ctx.Err() // the worker is stopped, and what was found may be of that
		} else if err != nil {
			return nil, marked(err)
		}
	}
	at.read.Add(1)
	return s.Bytes()
}

// at is how far the stretches are that this process found and read.
var at struct{ found, read atomic.Int64 }

// mergeFn merges encoded summaries. Integers add up to the same whatever the tree, so that the bytes do
// not depend on how Beam groups them.
type mergeFn struct{ Plan []byte }

// CreateAccumulator returns the summary of nothing, as no bytes.
func (f *mergeFn) CreateAccumulator() []byte { return nil }

// AddInput merges one.
func (f *mergeFn) AddInput(a, b []byte) ([]byte, error) { return merge(a, b) }

// MergeAccumulators merges two.
func (f *mergeFn) MergeAccumulators(a, b []byte) ([]byte, error) { return merge(a, b) }

// ExtractOutput returns what was merged.
func (f *mergeFn) ExtractOutput(a []byte) []byte { return a }

func merge(a, b []byte) ([]byte, error) {
	if len(a) == 0 {
		return b, nil
	}
	if len(b) == 0 {
		return a, nil
	}
	s, err := summary.Parse(a)
	if err != nil {
		return nil, err
	}
	o, err := summary.Parse(b)
	if err != nil {
		return nil, err
	}
	if err := s.Merge(o); err != nil {
		return nil, marked(err)
	}
	return s.Bytes()
}

// writeFn writes the summary of all.
type writeFn struct{ Out string }

// ProcessElement writes it.
func (f *writeFn) ProcessElement(ctx context.Context, b []byte) error {
	if len(b) == 0 {
		return marked(errors.New("there are no chunks"))
	}
	return marked(writeFile(ctx, f.Out, b))
}
