package work

import (
	"context"
	"errors"
	"fmt"
	"os"

	"bayeskernel/causal"
	"bayeskernel/causal/graph"
	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/input"
)

// Caused is a graph that was learned.
type Caused struct {
	Flags    *CausalFlags
	Data     *input.Dataset
	Result   *causal.Result
	Log      *causal.Log
	Whitened []Whitened     // of each column, with -time-as smooth or likeliest
	Stable   *causal.Stable // nil without -stability
	Truth    []Comparison
	Adjust   *graph.Adjustment // nil without -adjust
	// Other is the test that was asked about every decision too, "" for none.
	Other         string
	Disagreements []causal.Disagreement
}

// Comparison is that with a known graph.
type Comparison struct {
	With string
	graph.Comparison
}

// Stability is the table of frequencies at the level of the graph, nil without one.
func (c *Caused) Stability() *causal.LevelStability {
	if c.Stable == nil {
		return nil
	}
	return &c.Stable.Levels[0]
}

// Causal learns the graph of a table.
func Causal(ctx context.Context, con *cli.Console, data *input.Dataset, f *CausalFlags) (*Caused,
	error) {
	out := &Caused{Flags: f, Data: data}
	err := out.learn(ctx, con)
	switch {
	case errors.Is(err, context.Canceled) && exists(f.Log):
		return nil, cli.Resumablef("interrupted; the tests so far are in %s, and the same command goes on "+
			"with them", f.Log)
	case errors.Is(err, context.Canceled):
		return nil, cli.Resumablef("interrupted, no file was written; with -log FILE a run keeps its tests, " +
			"and goes on with them")
	case err != nil:
		return nil, fmt.Errorf("%s: %w", data.Where(), err)
	}
	return out, nil
}

// exists reports whether there is a file of this name.
func exists(name string) bool {
	_, err := os.Stat(name)
	return name != "" && err == nil
}

func (c *Caused) learn(ctx context.Context, con *cli.Console) error {
	f := c.Flags
	if f.Time != "" && f.TimeAs != "tier" {
		var err error
		c.Data, c.Whitened, err = whiten(ctx, con, c.Data, f.Time, f.TimeAs == "smooth")
		if err != nil {
			return err
		}
	}
	line := con.Working("preparing the tests")
	defer line.End()
	table, err := causal.NewData(c.Data.Columns, c.Data.P)
	if err != nil {
		return err
	}
	test, err := f.open(table, c.Data.Categories, f.Seed)
	if err != nil {
		return err
	}
	o := f.options(table.Names())
	o.Progress = line.StepLeft
	c.Log = causal.NewLog()
	if f.Log != "" {
		if c.Log, err = causal.OpenLog(f.Log, f.about(table, c.Data.Categories)); err != nil {
			return err
		}
	}
	o.Log = c.Log
	c.Result, err = causal.PC(ctx, test, o)
	if e := c.Log.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	if c.Other, err = f.askOther(ctx, c, test, o); err != nil {
		return err
	}
	if err := c.stability(ctx, table, o); err != nil {
		return err
	}
	return c.look()
}

// stability learns graphs from halves of the rows.
func (c *Caused) stability(ctx context.Context, table *causal.Data, o causal.Options) error {
	f := c.Flags
	if f.Stability == 0 {
		return nil
	}
	s := causal.StabilityOptions{Replicates: f.Stability, Levels: f.Levels, Seed: f.Seed,
		About: f.about(table, c.Data.Categories)}
	if f.Log != "" {
		s.Path = f.Log + ".halves"
	}
	var err error
	c.Stable, err = causal.Stability(ctx, table.Rows(), func(rows []int, seed uint64) (causal.Test,
		error) {
		half, err := table.Subset(rows)
		if err != nil {
			return nil, err
		}
		return f.open(half, c.Data.Categories, seed)
	}, o, s)
	return err
}

// look compares with the known graph and finds what to adjust for.
func (c *Caused) look() error {
	f := c.Flags
	if f.Adjust != "" {
		var err error
		if c.Adjust, err = c.Result.Graph.Adjust(f.adjustFrom, f.adjustTo); err != nil {
			return err
		}
	}
	if f.truth == nil {
		return nil
	}
	compared, err := graph.Compare(c.Result.Graph, f.truth)
	if err != nil {
		return fmt.Errorf("-truth %s: %w", f.Truth, err)
	}
	c.Truth = []Comparison{{f.Truth, compared}}
	if class, err := f.truth.CPDAG(); err == nil && !class.Equal(f.truth) {
		if compared, err = graph.Compare(c.Result.Graph, class); err != nil {
			return err
		}
		c.Truth = append(c.Truth, Comparison{"what data can tell of it (its CPDAG)", compared})
	}
	return nil
}
