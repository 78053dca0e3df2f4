package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"reflect"
	"sync"

	"bayeskernel/frame"
	"bayeskernel/internal/shards"
	"bayeskernel/summary"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

// Functions and types are registered so that workers know them, the combiner as a pointer: Beam calls
// its methods on one.
func init() {
	register.DoFn2x2[context.Context, shards.Unit, []byte, error](&summariseFn{})
	register.DoFn2x1[context.Context, []byte, error](&writeFn{})
	register.Combiner1[[]byte](&mergeFn{})
	beam.RegisterType(reflect.TypeFor[shards.Unit]())
}

// build lays out the job: files are spread over the workers before they are read, since an element and
// what follows it would otherwise stay on one.
func build(s beam.Scope, plan []byte, units []shards.Unit, out string, skip bool) {
	elements := make([]any, len(units))
	for i, u := range units {
		elements[i] = u
	}
	list := beam.Reshuffle(s, beam.Create(s, elements...))
	sums := beam.ParDo(s, &summariseFn{Plan: plan, Skip: skip}, list)
	beam.ParDo0(s, &writeFn{Out: out}, beam.Combine(s, &mergeFn{Plan: plan}, sums))
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

// summariseFn makes the summary of a unit.
type summariseFn struct {
	Plan []byte
	Skip bool
}

// ProcessElement reads the unit.
func (f *summariseFn) ProcessElement(ctx context.Context, u shards.Unit) ([]byte, error) {
	p, err := parsed(f.Plan)
	if err != nil {
		return nil, err
	}
	s, err := summary.New(p)
	if err != nil {
		return nil, err
	}
	if err := u.Add(ctx, s, shards.Options{Skip: f.Skip,
		Remedies: frame.Remedies{Missing: "-skip-missing"}}); err != nil {
		return nil, err
	}
	return s.Bytes()
}

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
		return nil, err
	}
	return s.Bytes()
}

// writeFn writes the summary of all.
type writeFn struct{ Out string }

// ProcessElement writes it under another name first.
func (f *writeFn) ProcessElement(_ context.Context, b []byte) error {
	if len(b) == 0 {
		return fmt.Errorf("there are no chunks")
	}
	return write(f.Out, b)
}
