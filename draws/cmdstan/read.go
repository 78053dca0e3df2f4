package cmdstan

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"bayeskernel/draws"
)

// ErrTruncated is wrapped by the error of Read if files hold fewer draws than they announce, such
// as a file that is still being written. Read then also returns the run with the draws so far.
var ErrTruncated = errors.New("file ends early")

// Read reads CmdStan files, one per chain, as written by this package, by CmdStan or by rstan.
// CmdStan's format cannot hold why a chain ended early, details of divergences, or counts of
// gradients; these are lost. theta.1 is read as theta[1] unless the file records another name.
func Read(paths ...string) (*draws.Run, error) {
	if len(paths) == 0 {
		return nil, errors.New("cmdstan: no files to read, expected at least one")
	}
	var run *draws.Run
	var truncated error
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("cmdstan: %w", err)
		}
		one, err := readCSV(f, path)
		f.Close()
		if one == nil {
			return nil, err
		}
		truncated = errors.Join(truncated, err)
		if run == nil {
			run = one
			continue
		}
		if !slices.Equal(one.Names, run.Names) {
			return nil, fmt.Errorf("cmdstan: %s: %s, expected as in %s", path,
				nameDifference(one.Names, run.Names), paths[0])
		}
		run.Chains = append(run.Chains, one.Chains...)
	}
	run.Sampler.Chains = len(run.Chains)
	return run, truncated
}

func nameDifference(got, want []string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("parameter %d is %q, expected %q", i+1, got[i], want[i])
		}
	}
	return fmt.Sprintf("%d parameters, expected %d", len(got), len(want))
}

// csvReader reads one file line by line.
type csvReader struct {
	path     string
	line     int
	settings settings

	fields []string // of the header
	stats  [len(statNames)]int
	params []int // fields that hold parameters, in the order of the run
	names  []string

	chain   draws.Chain
	values  [][]float64
	rows    []draws.Stat
	adapted int    // rows before the end of adaptation, or -1
	metric  int    // lines of the metric still expected; -1 before the first line of a dense one
	kind    string // of a metric that Stan does not have
}

// readCSV returns a run of one chain; with ErrTruncated, of what is there.
func readCSV(r io.Reader, path string) (*draws.Run, error) {
	c := &csvReader{path: path, adapted: -1, settings: settings{}}
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			if err != io.EOF {
				return nil, fmt.Errorf("cmdstan: %s: %w", path, err)
			}
			// A last line without an end may be cut in the middle of a number, so it is not read.
			return c.finish(line != "" && line[0] != '#')
		}
		c.line++
		if err := c.parse(strings.TrimRight(line, "\r\n")); err != nil {
			return nil, err
		}
	}
}

func (c *csvReader) errorf(format string, args ...any) error {
	return fmt.Errorf("cmdstan: %s:%d: %s", c.path, c.line, fmt.Sprintf(format, args...))
}

func (c *csvReader) parse(line string) error {
	switch {
	case strings.TrimSpace(line) == "":
		return nil
	case line[0] == '#':
		return c.comment(strings.TrimSpace(strings.TrimLeft(line, "#")))
	case c.fields == nil:
		return c.header(line)
	}
	return c.row(line)
}

// header finds the columns of the statistics and of the parameters.
func (c *csvReader) header(line string) error {
	if m := c.settings["method"].value; m != "" && m != "sample" {
		return c.errorf("method is %q, expected %q", m, "sample")
	}
	c.fields = strings.Split(line, ",")
	for k := range c.stats {
		c.stats[k] = -1
	}
	seen := map[string]bool{}
	var columns []string
	for i, f := range c.fields {
		f = strings.TrimSpace(f)
		c.fields[i] = f
		if f == "" || seen[f] {
			return c.errorf("column %d is named %q, expected a name of its own", i+1, f)
		}
		seen[f] = true
		if k := slices.Index(statNames[:], f); k >= 0 {
			c.stats[k] = i
		} else if !strings.HasSuffix(f, "__") {
			columns = append(columns, f)
			c.params = append(c.params, i)
		}
	}
	if c.stats[0] < 0 {
		return c.errorf("no column lp__ among %d columns, expected the output of a sampler",
			len(c.fields))
	}
	c.restoreNames(columns)
	return nil
}

// restoreNames finds the names that the columns had in the run: those recorded if they lead to
// these very columns, or else theta[1] for theta.1.
func (c *csvReader) restoreNames(columns []string) {
	recorded, ok := c.settings.names()
	if own, err := layOut(recorded); ok && err == nil && len(own) == len(columns) {
		params := make([]int, len(own))
		for i, o := range own {
			ok = ok && o.name == columns[i]
			params[o.col] = c.params[i]
		}
		if ok {
			c.names, c.params = recorded, params
			return
		}
	}
	for _, name := range columns {
		c.names = append(c.names, restoreName(name))
	}
}

func (c *csvReader) row(line string) error {
	fields := strings.Split(line, ",")
	if len(fields) != len(c.fields) {
		return c.errorf("%d values, expected %d", len(fields), len(c.fields))
	}
	x := make([]float64, len(fields))
	for i, f := range fields {
		v, err := parseFloat(f)
		if err != nil {
			return c.errorf("column %d (%s) is %q, expected a number", i+1, c.fields[i], f)
		}
		x[i] = v
	}
	stat := func(k int) float64 {
		if c.stats[k] < 0 {
			return 0
		}
		return x[c.stats[k]]
	}
	for k := 3; k <= 4; k++ {
		if v := stat(k); v != math.Trunc(v) || math.Abs(v) > math.MaxInt32 {
			return c.errorf("column %d (%s) is %q, expected a whole number", c.stats[k]+1,
				statNames[k], fields[c.stats[k]])
		}
	}
	s := draws.Stat{LP: stat(0), AcceptStat: stat(1), StepSize: stat(2), TreeDepth: int(stat(3)),
		Leapfrogs: int(stat(4)), Divergent: stat(5) != 0, Energy: stat(6)}
	values := make([]float64, len(c.params))
	for j, i := range c.params {
		values[j] = x[i]
	}
	c.values, c.rows = append(c.values, values), append(c.rows, s)
	return nil
}

// parseFloat also takes the spellings of C++ and R, such as -nan.
func parseFloat(s string) (float64, error) {
	s = strings.TrimSpace(s)
	if strings.EqualFold(s, "-nan") || s == "NA" {
		return math.NaN(), nil
	}
	return strconv.ParseFloat(s, 64)
}

// comment reads a line without its "# ".
func (c *csvReader) comment(text string) error {
	if c.fields == nil {
		c.settings.add(text, c.line)
		return nil
	}
	if c.metric != 0 {
		return c.metricLine(text)
	}
	label, value, _ := strings.Cut(text, "=")
	switch label = strings.TrimSpace(label); {
	case label == "Adaptation terminated":
		c.adapted = len(c.rows)
	case label == "Step size":
		v, err := parseFloat(value)
		if err != nil {
			return c.errorf("step size is %q, expected a number", strings.TrimSpace(value))
		}
		c.chain.StepSize = v
	case strings.HasPrefix(label, "No free parameters"):
		c.chain.Metric = draws.Metric{Kind: "unit_e"}
	case strings.HasPrefix(label, "Diagonal elements of inverse mass matrix"):
		c.chain.Metric, c.metric = draws.Metric{Kind: "diag_e"}, 1
	case strings.HasPrefix(label, "Elements of inverse mass matrix"):
		c.chain.Metric, c.metric = draws.Metric{Kind: "dense_e"}, -1
	case label == ownPrefix+windowTitle:
		return c.windowLine(value)
	case label == ownPrefix+coordinatesTitle:
		var err error
		c.chain.Coordinates, err = c.numbers(coordinatesTitle, value)
		return err
	case strings.HasPrefix(label, ownPrefix):
		return c.partLine(strings.TrimPrefix(label, ownPrefix), value)
	}
	c.seconds(text)
	return nil
}

func (c *csvReader) metricLine(text string) error {
	var parts []string
	if text != "" { // a model without parameters
		parts = strings.Split(text, ",")
	}
	row := make([]float64, len(parts))
	for i, p := range parts {
		v, err := parseFloat(p)
		if err != nil {
			return c.errorf("element %d of the inverse metric is %q, expected a number", i+1,
				strings.TrimSpace(p))
		}
		row[i] = v
	}
	if c.metric < 0 {
		c.metric = max(len(row), 1)
	}
	c.metric--
	m := &c.chain.Metric
	if m.Kind == "diag_e" {
		m.Diag = row
		return nil
	}
	m.Dense = append(m.Dense, row)
	if len(row) != len(m.Dense[0]) {
		return c.errorf("row %d of the inverse metric has %d elements, expected %d", len(m.Dense),
			len(row), len(m.Dense[0]))
	}
	return nil
}

// seconds reads the lines of the footer. It ignores other comments.
func (c *csvReader) seconds(text string) {
	text = strings.TrimSpace(strings.TrimPrefix(text, "Elapsed Time:"))
	number, what, ok := strings.Cut(text, " seconds ")
	v, err := parseFloat(number)
	if !ok || err != nil {
		return
	}
	switch what {
	case "(Warm-up)":
		c.chain.WarmupSeconds = v
	case "(Sampling)":
		c.chain.SampleSeconds = v
	}
}

// finish splits the rows into warm-up and draws and compares their number with that announced.
func (c *csvReader) finish(cut bool) (*draws.Run, error) {
	if c.fields == nil {
		return nil, fmt.Errorf("cmdstan: %s: no line with the names of the columns, expected one "+
			"that starts with lp__", c.path)
	}
	run := &draws.Run{Names: c.names}
	if err := c.settings.fill(run); err != nil {
		return nil, fmt.Errorf("cmdstan: %s:%w", c.path, err)
	}
	s := &run.Sampler
	rows := func(n int) int { return (n + s.Thin - 1) / s.Thin }
	warmup := 0
	if s.SaveWarmup {
		warmup = rows(s.Warmup)
	}
	split := c.adapted
	if split < 0 {
		split = min(warmup, len(c.rows))
	}
	if split > 0 {
		c.chain.WarmupValues, c.chain.WarmupStats = c.values[:split:split], c.rows[:split:split]
	}
	c.chain.Values, c.chain.Stats = c.values[split:], c.rows[split:]
	if ended := c.adapted >= 0 || len(c.chain.Stats) > 0; ended && split == warmup && warmup > 0 {
		c.chain.Warmup = s.Warmup // without its rows it may have been shorter than planned
	}
	if c.kind != "" {
		run.Sampler.Metric = c.kind // the header has what Stan's readers know
	}
	run.Chains = []draws.Chain{c.chain}
	found := len(c.chain.Stats)
	_, announced := c.settings["num_samples"]
	switch {
	case announced && found > rows(s.Draws):
		return nil, fmt.Errorf("cmdstan: %s: %d draws, expected %d of num_samples = %d, thin = %d",
			c.path, found, rows(s.Draws), s.Draws, s.Thin)
	case announced && found < rows(s.Draws), c.adapted < 0 && split < warmup, cut, c.metric != 0:
		return run, fmt.Errorf("cmdstan: %s: %w after %d rows of warm-up and %d draws, expected %d "+
			"and %d", c.path, ErrTruncated, split, found, warmup, rows(s.Draws))
	}
	return run, nil
}
