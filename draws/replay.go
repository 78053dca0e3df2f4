package draws

import "fmt"

// Replay sends rec what it would have received had it listened to the chain so far, short of Close.
// A run that is resumed brings new recorders up to date in this way.
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
	if err := rec.Adapted(c.StepSize, c.Metric); err != nil {
		return err
	}
	return replayRows(rec, c.Values, c.Stats, false)
}

// adapted reports whether the chain came to the end of its warm-up.
func (c *Chain) adapted() bool { return c.Metric.Kind != "" || len(c.Values) > 0 }

func replayRows(rec Recorder, values [][]float64, stats []Stat, warmup bool) error {
	for i, row := range values {
		if err := rec.Draw(row, stats[i], warmup); err != nil {
			return err
		}
	}
	return nil
}

// Check finds rows that do not fit the names or have no statistics.
func (r *Run) Check() error {
	for c := range r.Chains {
		ch := &r.Chains[c]
		if err := ch.check(); err != nil {
			return err
		}
		for _, rows := range [][][]float64{ch.WarmupValues, ch.Values} {
			for i, row := range rows {
				if len(row) != len(r.Names) {
					return fmt.Errorf("draws: chain %d, draw %d has %d values, expected %d", c+1, i+1,
						len(row), len(r.Names))
				}
			}
		}
	}
	return nil
}

func (c *Chain) check() error {
	if len(c.Stats) != len(c.Values) || len(c.WarmupStats) != len(c.WarmupValues) {
		return fmt.Errorf("draws: a chain has %d draws with %d rows of statistics and %d with %d in "+
			"warm-up, expected as many of both", len(c.Values), len(c.Stats), len(c.WarmupValues),
			len(c.WarmupStats))
	}
	return nil
}
