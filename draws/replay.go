package draws

import "fmt"

// Recorders are the recorders of a run, one per chain; a chain without one has nil.
type Recorders []Recorder

// Listen calls record to make a recorder for each chain, and replays the draws so far to it. If one
// fails, the recorders already made are discarded or closed.
func Listen(record func(head *Run, chain int) (Recorder, error), head Run, chains []*Chain) (Recorders,
	error) {
	out := make(Recorders, len(chains))
	for i, c := range chains {
		head := head
		rec, err := record(&head, i)
		if err == nil && rec != nil {
			out[i] = rec
			err = c.Replay(rec)
		}
		if err == nil {
			continue
		}
		for _, rec := range out {
			if d, ok := rec.(Discarder); ok {
				_ = d.Discard() // the error that matters is the first
			} else if rec != nil {
				_ = rec.Close(0, 0)
			}
		}
		return nil, fmt.Errorf("recorder of chain %d: %w", i+1, err)
	}
	return out, nil
}

// Close closes all recorders with the times of their chains, and returns the first error.
func (r Recorders) Close(chains []*Chain) error {
	var first error
	for i, rec := range r {
		if rec == nil {
			continue
		}
		err := rec.Close(chains[i].WarmupSeconds, chains[i].SampleSeconds)
		if err != nil && first == nil {
			first = fmt.Errorf("recorder of chain %d: %w", i+1, err)
		}
	}
	return first
}

// Replay sends rec all events of the chain so far except Close. It brings new recorders of a
// resumed run up to date.
func (c *Chain) Replay(rec Recorder) error {
	if err := c.check(); err != nil {
		return err
	}
	if err := replayRows(rec, c.WarmupValues, c.WarmupStats, true); err != nil {
		return err
	}
	if !c.adapted() {
		return nil
	}
	if err := c.TellAdapted(rec); err != nil {
		return err
	}
	if c.File == nil {
		return replayRows(rec, c.Values, c.Stats, false)
	}
	return c.File.Each(func(_ int, row []float64) error {
		n := len(row) - StatColumns
		return rec.Draw(row[:n:n], statOf(row[n:]), false)
	})
}

// TellAdapted tells rec that the warm-up of the chain has ended.
func (c *Chain) TellAdapted(rec Recorder) error {
	if w, ok := rec.(WindowRecorder); ok && len(c.Windows) > 0 {
		if err := w.Windows(c.Windows); err != nil {
			return err
		}
	}
	if w, ok := rec.(CoordinateRecorder); ok && c.Coordinates != nil {
		if err := w.Coordinates(c.Coordinates); err != nil {
			return err
		}
	}
	return rec.Adapted(c.StepSize, c.Metric)
}

// adapted reports whether the chain has finished warm-up.
func (c *Chain) adapted() bool { return c.Metric.Kind != "" || c.Len() > 0 }

func replayRows(rec Recorder, values [][]float64, stats []Stat, warmup bool) error {
	for i, row := range values {
		if err := rec.Draw(row, stats[i], warmup); err != nil {
			return err
		}
	}
	return nil
}

// Check returns an error if a row does not match the names or has no statistics.
func (r *Run) Check() error {
	for c := range r.Chains {
		ch := &r.Chains[c]
		if err := ch.check(); err != nil {
			return err
		}
		if ch.File != nil {
			if want := len(r.Names) + StatColumns; ch.File.Cols != want {
				return fmt.Errorf("draws: chain %d: %s has %d columns, want %d", c+1, ch.File.Path,
					ch.File.Cols, want)
			}
			if _, err := ch.File.Column(0, ch.Len()); err != nil {
				return err
			}
		}
		for _, rows := range [][][]float64{ch.WarmupValues, ch.Values} {
			for i, row := range rows {
				if len(row) != len(r.Names) {
					return fmt.Errorf("draws: chain %d, draw %d has %d values, want %d", c+1, i+1,
						len(row), len(r.Names))
				}
			}
		}
	}
	return nil
}

func (c *Chain) check() error {
	if c.File == nil && len(c.Stats) != len(c.Values) || len(c.WarmupStats) != len(c.WarmupValues) {
		return fmt.Errorf("draws: a chain has %d draws with %d rows of statistics and %d with %d in "+
			"warm-up, want as many of both", c.Len(), len(c.Stats), len(c.WarmupValues),
			len(c.WarmupStats))
	}
	return nil
}
