// Package shards reads the files of samples, in parallel, into pilots and summaries of package
// bke/summary.
package shards

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"bayeskernel/frame"
	"bayeskernel/internal/workers"
	"bayeskernel/summary"
)

// Unit is what one worker reads at a time: a file, a stretch of a text, or a group of rows of a Parquet file.
type Unit struct {
	Sample string
	File   string // "-" for standard input
	Part   int    // -1 for a whole file
}

// Options say how files are read.
type Options struct {
	Columns  []string // nil for all
	Skip     bool     // rows in which a value is missing
	Parallel int      // at most so many at once; 0 means GOMAXPROCS; changes no result
	Stdin    io.Reader
	// Open opens files; nil means os.Open.
	Open     func(ctx context.Context, name string) (io.ReadCloser, error)
	Remedies frame.Remedies // how the user can have files read in another way
	// Progress, if not nil, is called from time to time, by one goroutine at a time: done parts of
	// total of the step under way. It must not block.
	Progress func(step string, done, total int)
}

func (o Options) table() frame.Options {
	t := frame.Options{Columns: o.Columns, Stdin: o.Stdin, Open: o.Open, Remedies: o.Remedies}
	if o.Skip {
		t.Missing = frame.DropMissing
	}
	return t
}

// Units cuts files into what workers read.
func Units(ctx context.Context, sample string, files []string, o Options) ([]Unit, error) {
	var out []Unit
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		parts := 0
		if f != "-" {
			var err error
			if parts, err = frame.Parts(ctx, f, o.table()); err != nil {
				return nil, err
			}
		}
		if parts == 0 {
			out = append(out, Unit{sample, f, -1})
		}
		for k := range parts {
			out = append(out, Unit{sample, f, k})
		}
	}
	return out, nil
}

// stream reads a unit.
func (u Unit) stream(ctx context.Context, o Options, sink frame.Sink) error {
	if u.Part < 0 {
		return frame.StreamFile(ctx, u.File, o.table(), sink)
	}
	return frame.StreamPart(ctx, u.File, u.Part, o.table(), sink)
}

// Add adds a unit to a summary. The columns are those of the plan.
func (u Unit) Add(ctx context.Context, s *summary.Summary, o Options) error {
	o.Columns = s.Plan().Columns
	var c *summary.Chunk
	chunks := 0
	err := u.stream(ctx, o, frame.Sink{
		Begin: func([]string) (err error) {
			chunks++
			c, err = s.Chunk(u.Sample, o.Skip)
			return err
		},
		Rows: func(v []float64) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return c.Add(v)
		},
		End: func(dropped int) error {
			c.Skip(int64(dropped))
			return c.Close()
		},
	})
	if err == nil && chunks == 0 && u.Part < 0 {
		return fmt.Errorf("%s: holds no rows", u.File)
	}
	return err
}

// Summarise makes the summary of units. Its bytes do not depend on the number of workers.
func Summarise(ctx context.Context, p *summary.Plan, equal bool, units []Unit, o Options) (
	*summary.Summary, error) {
	all, err := summary.New(p)
	if err != nil {
		return nil, err
	}
	all.AllowEqual = equal
	parts := make([]*summary.Summary, workers.AtOnce(o.Parallel, len(units)))
	err = work(ctx, units, o, func(worker int, u Unit) error {
		if parts[worker] == nil {
			s, err := summary.New(p)
			if err != nil {
				return err
			}
			s.AllowEqual = equal
			parts[worker] = s
		}
		return u.Add(ctx, parts[worker], o)
	})
	if err != nil {
		return nil, err
	}
	for _, s := range parts {
		if s == nil {
			continue
		}
		if len(parts) == 1 {
			return s, nil
		}
		if err := all.Merge(s); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Pilot reads all units for a pilot of at most so many rows, and returns the names of the columns.
func Pilot(ctx context.Context, most int, seed uint64, units []Unit, o Options) (*summary.Pilot,
	[]string, error) {
	var mu sync.Mutex
	var names []string
	parts := make([]*summary.Pilot, workers.AtOnce(o.Parallel, len(units)))
	err := work(ctx, units, o, func(worker int, u Unit) error {
		var own []string
		return u.stream(ctx, o, frame.Sink{
			Begin: func(n []string) error {
				own = n
				mu.Lock()
				defer mu.Unlock()
				if names == nil {
					names = slices.Clone(n)
				}
				if !slices.Equal(names, own) {
					return fmt.Errorf("the columns are %q, and elsewhere %q: want the same in all files", own,
						names)
				}
				if parts[worker] == nil {
					parts[worker] = summary.NewPilot(len(n), most, seed)
				}
				parts[worker].Begin(u.Sample)
				return nil
			},
			Rows: func(v []float64) error {
				parts[worker].Add(v)
				return ctx.Err()
			},
			End: func(int) error { return nil },
		})
	})
	if err != nil {
		return nil, nil, err
	}
	if names == nil {
		return nil, nil, errors.New("there are no rows to make a plan from")
	}
	all := summary.NewPilot(len(names), most, seed)
	for _, p := range parts {
		if p != nil {
			if err := all.Merge(p); err != nil {
				return nil, nil, err
			}
		}
	}
	return all, names, nil
}

// work gives the units to workers, and returns the error of the first unit that has one.
func work(ctx context.Context, units []Unit, o Options,
	do func(worker int, u Unit) error) error {
	var tell func(done, total int)
	if o.Progress != nil {
		tell = func(done, total int) { o.Progress("reading files", done, total) }
	}
	done := workers.NewMeter(len(units), tell)
	var begun atomic.Int64
	err := workers.Each(ctx, len(units), o.Parallel, func() func(int) error {
		worker := int(begun.Add(1)) - 1
		return func(k int) error {
			defer done.Tick()
			return do(worker, units[k])
		}
	})
	return cmp.Or(ctx.Err(), err)
}
