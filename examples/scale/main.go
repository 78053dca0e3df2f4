// Scale measures what learning a lengthscale and drawing from its posterior costs, against the number of
// rows: from the rows themselves, and from a summary that one pass leaves. The rows are synthetic, two
// thirds N(0, 1) and one third N(2.5, 0.4²), made chunk by chunk and never all held for the summary.
//
// Each measurement is kept as a line of a file and not repeated:
//
//	go run ./examples/scale -most 1e8 -file examples/scale/scale.jsonl
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"

	"bayeskernel/examples/internal/report"
	"bayeskernel/internal/atomicfile"
	"bayeskernel/internal/figure"
)

func main() { report.Program(run) }

// The ways to the posterior.
const (
	fromRows    = "rows"
	fromSummary = "summary"
)

// record is one measurement, in seconds of processor time.
type record struct {
	Rows   int     `json:"rows"`
	Way    string  `json:"way"`
	Plan   float64 `json:"plan,omitempty"` // the pilot's pass too, but not the making of the rows
	Pass   float64 `json:"pass,omitempty"`
	Learn  float64 `json:"learn"`
	Sample float64 `json:"sample"`
	Theta  float64 `json:"theta"`
	SD     float64 `json:"sd"` // of theta in the posterior given z
}

func (r record) total() float64 { return r.Plan + r.Pass + r.Learn + r.Sample }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet("scale", flag.ContinueOnError)
	f.SetOutput(stderr)
	most := f.Float64("most", 1e5, "the largest number of rows")
	direct := f.Float64("direct", 1e6, "the largest number of rows that are all held")
	file := f.String("file", "", "where measurements are kept, so that a study goes on where it was")
	out := f.String("out", "scale.png", "the picture to write")
	seed := f.Uint64("seed", 1, "seed of the rows")
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if f.NArg() > 0 || !(*most >= 1e4 && *most <= 1e10) {
		fmt.Fprintln(stderr, "scale: want -most from 1e4 to 1e10, and no other arguments")
		return 2
	}
	if err := study(ctx, int(*most), int(*direct), *file, *out, *seed, stdout); err != nil {
		fmt.Fprintf(stderr, "scale: %v\n", err)
		return 1
	}
	return 0
}

// study measures what is missing, and shows all.
func study(ctx context.Context, most, direct int, file, out string, seed uint64, stdout io.Writer) error {
	records, err := read(file)
	if err != nil {
		return err
	}
	var shown []record
	for _, n := range sizes(most) {
		for _, way := range []string{fromRows, fromSummary} {
			if way == fromRows && n > direct {
				continue
			}
			r, ok := find(records, n, way)
			if !ok {
				measure := measureRows
				if way == fromSummary {
					measure = measureSummary
				}
				if r, err = measure(ctx, n, seed); err != nil {
					return err
				}
				if err := report.Keep(file, r); err != nil {
					return err
				}
			}
			fmt.Fprintf(stdout, "%-8s %10d rows: %8.2f s (plan %.2f, pass %.2f, learn %.2f, sample %.2f), "+
				"theta %.5f, sd %.1e\n", way, n, r.total(), r.Plan, r.Pass, r.Learn, r.Sample, r.Theta, r.SD)
			shown = append(shown, r)
		}
	}
	if n, ok := crossing(shown); ok {
		fmt.Fprintf(stdout, "The two ways part at about %.2g rows.\n", n)
	}
	return draw(shown, out)
}

// sizes are a half of a decade apart.
func sizes(most int) []int {
	var out []int
	for n := 10000; n <= most; n *= 10 {
		out = append(out, n)
		if 3*n <= most {
			out = append(out, 3*n)
		}
	}
	return out
}

// crossing is the number of rows from which the summary is the faster way, by straight lines between the
// logarithms of what was measured.
func crossing(list []record) (float64, bool) {
	type ratio struct{ logN, log float64 } // of the cost from rows to that from a summary
	var all []ratio
	for _, r := range list {
		if r.Way != fromRows {
			continue
		}
		if s, ok := find(list, r.Rows, fromSummary); ok {
			all = append(all, ratio{math.Log(float64(r.Rows)), math.Log(r.total() / s.total())})
		}
	}
	for k := len(all) - 1; k > 0; k-- {
		if a, b := all[k-1], all[k]; a.log < 0 && b.log >= 0 {
			return math.Exp(a.logN + (b.logN-a.logN)*a.log/(a.log-b.log)), true
		}
	}
	return 0, false
}

// draw writes the picture.
func draw(list []record, out string) error {
	c := figure.Curves{Title: "Learning and sampling theta, synthetic rows of one column", XLabel: "rows",
		YLabel: "processor time, s", LogX: true, LogY: true}
	for _, s := range []struct {
		name, way string
		cost      func(record) float64
	}{{"from the rows", fromRows, record.total}, {"from a summary, all", fromSummary, record.total},
		{"the one pass", fromSummary, func(r record) float64 { return r.Pass }},
		{"after the pass", fromSummary, func(r record) float64 { return r.Learn + r.Sample }}} {
		var series figure.Series
		for _, r := range list {
			if r.Way == s.way && s.cost(r) > 0 {
				series.X = append(series.X, float64(r.Rows))
				series.Y = append(series.Y, s.cost(r))
			}
		}
		if series.Name = s.name; len(series.X) > 0 {
			c.Series = append(c.Series, series)
		}
	}
	fig, err := c.Draw()
	if err != nil {
		return err
	}
	return atomicfile.Write(out, fig.WritePNG)
}

// read returns the records of a file; a last line that was cut short is taken away.
func read(file string) ([]record, error) {
	if file == "" {
		return nil, nil
	}
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	if end := bytes.LastIndexByte(b, '\n') + 1; end < len(b) {
		if err := os.Truncate(file, int64(end)); err != nil {
			return nil, err
		}
		b = b[:end]
	}
	var out []record
	lines := bufio.NewScanner(bytes.NewReader(b))
	for k := 1; lines.Scan(); k++ {
		var r record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s: line %s: %w", file, strconv.Itoa(k), err)
		}
		out = append(out, r)
	}
	return out, lines.Err()
}

func find(list []record, n int, way string) (record, bool) {
	for _, r := range list {
		if r.Rows == n && r.Way == way {
			return r, true
		}
	}
	return record{}, false
}
