package cmdstan

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"bayeskernel/draws"
	"bayeskernel/internal/atomicfile"
)

// Options adapts a CmdStan file to its readers. By default equal runs make equal files, and rstan
// 2.21 reads them.
type Options struct {
	// WordBooleans writes save_warmup = true instead of 1, as CmdStan does since 2.35. rstan 2.21
	// reads digits only and rstan 2.33 words only; other programs read both.
	WordBooleans bool
	// Times writes the seconds that a chain took instead of zeros.
	Times bool
	// Head has the comments at the head of the file, without #, in the place of those that describe the
	// run: what a program prints that CmdStan's users call. The numbers of transitions there are the
	// planned ones, also where a chain ended early.
	Head []string
	// Digits are the significant digits of numbers; 0: as many as bring the same numbers back.
	Digits int
}

// digits is what package strconv takes.
func (o Options) digits() int {
	if o.Digits > 0 {
		return o.Digits
	}
	return -1
}

// How long rows may wait in memory: a file can be watched while the sampler runs.
const (
	flushRows  = 100
	flushBytes = 1 << 16
	flushAfter = time.Second
)

// errClosed is what a Writer answers after Close.
var errClosed = errors.New("cmdstan: file is closed")

// A Writer streams one chain into a file of CmdStan's format. It implements draws.Recorder.
//
// While the chain runs, the file has its name with ".part" appended, grows by whole lines and
// announces the planned number of draws. Close writes the actual numbers of draws and gives the
// file its name. A chain that ended early thus leaves a valid file. A chain that was interrupted
// and resumed leaves the same bytes as an uninterrupted one. After an error every method returns
// that error, and the partial file remains for Read.
type Writer struct {
	path    string
	opts    Options
	head    header
	columns []column
	width   int // parameters

	f     *os.File
	start int64 // length of the header as it was first written
	buf   []byte
	rows  int // in buf
	since time.Time
	err   error

	adapted bool
	warmup  int    // rows of warm-up
	kept    int    // rows after it
	choices []byte // the comments at the end of the file that say how the metric was chosen, and in what coordinates
	parts   []byte // and those that hold a metric that Stan does not have
	remarks []byte
}

var _ interface {
	draws.Recorder
	draws.WindowRecorder
	draws.CoordinateRecorder
	draws.Discarder
} = (*Writer)(nil)

// New creates path+".part", and its folder if that is missing, and writes the header of the given chain, counted from 0. It uses the
// names, the model, the seed and the sampler of r.
func New(path string, r *draws.Run, chain int, opts Options) (*Writer, error) {
	columns, err := layOut(r.Names)
	if err != nil {
		return nil, err
	}
	s := r.Sampler
	s.Thin = max(s.Thin, 1)
	s.Metric = metricName(s.Metric)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, fmt.Errorf("cmdstan: %w", err)
	}
	f, err := atomicfile.Anew(path + atomicfile.Part)
	if err != nil {
		return nil, fmt.Errorf("cmdstan: %w", err)
	}
	c := &Writer{
		path: path, opts: opts, columns: columns, width: len(r.Names), f: f, since: time.Now(),
		head: header{run: r, sampler: s, chain: chain, columns: columns, words: opts.WordBooleans, given: opts.Head},
	}
	c.buf = c.head.append(nil, s.Warmup, s.Draws)
	c.start = int64(len(c.buf))
	if err := c.flush(); err != nil {
		f.Close()
		os.Remove(f.Name())
		return nil, err
	}
	return c, nil
}

// Draw adds a row.
func (c *Writer) Draw(values []float64, s draws.Stat, warmup bool) error {
	if c.err != nil {
		return c.err
	}
	switch {
	case len(values) != c.width:
		return c.fail("%d values in a draw, expected %d", len(values), c.width)
	case math.IsNaN(s.LP) || math.IsInf(s.LP, 0):
		// Readers take a line that starts with a letter for the header.
		return c.fail("lp__ of a draw is %v, expected a finite number", s.LP)
	case warmup && c.adapted, !warmup && !c.adapted:
		return c.fail("draws, warm-up and the end of adaptation came out of order")
	}
	if warmup && !c.head.sampler.SaveWarmup {
		return nil
	}
	if warmup {
		c.warmup++
	} else {
		c.kept++
	}
	c.buf = appendRow(c.buf, c.columns, values, s, c.opts.digits())
	c.rows++
	if c.rows >= flushRows || len(c.buf) >= flushBytes || time.Since(c.since) >= flushAfter {
		return c.flush()
	}
	return nil
}

// Windows stores the windows of warm-up for the end of the file.
func (c *Writer) Windows(windows []draws.Window) error {
	c.choices = windowLines(c.choices, windows)
	return c.err
}

// Coordinates stores the coordinates of the metric for the end of the file.
func (c *Writer) Coordinates(learned []float64) error {
	c.choices = appendNumbers(c.choices, coordinatesTitle, learned)
	return c.err
}

// Adapted writes the step size and the inverse metric.
func (c *Writer) Adapted(stepSize float64, m draws.Metric) error {
	if c.err != nil {
		return c.err
	}
	if c.adapted {
		return c.fail("the end of adaptation came twice")
	}
	c.parts = partLines(nil, m)
	if !stans(m.Kind) && m.Diag == nil {
		return c.fail("metric of kind %q has no diagonal, want that for Stan's readers", m.Kind)
	}
	if m.Kind = metricName(m.Kind); m.Kind != c.head.sampler.Metric {
		return c.fail("metric is %q after adaptation, expected %q as in the header",
			m.Kind, c.head.sampler.Metric)
	}
	c.adapted = true
	c.buf = appendAdaptation(c.buf, stepSize, m)
	return c.flush()
}

// Remark stores a comment of one line, which readers pass over, for the end of the file.
func (c *Writer) Remark(text string) error {
	c.remarks = appendComments(c.remarks, []string{text})
	return c.err
}

// Discard removes the unfinished file and leaves a finished file of the same name alone. Call no
// other method after it.
func (c *Writer) Discard() error {
	f := c.f
	if f == nil { // a failure has closed it already
		return c.err
	}
	c.f, c.err = nil, errClosed
	err := f.Close()
	if e := os.Remove(f.Name()); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("cmdstan: %w", err)
	}
	return nil
}

// Close writes the end of the file and gives it its name.
func (c *Writer) Close(warmupSeconds, sampleSeconds float64) error {
	if c.err != nil {
		if c.f != nil {
			c.f.Close()
			c.f = nil
		}
		return c.err
	}
	if !c.opts.Times {
		warmupSeconds, sampleSeconds = 0, 0
	}
	c.buf = appendTimes(slices.Concat(c.buf, c.choices, c.parts, c.remarks), warmupSeconds, sampleSeconds)
	if err := c.flush(); err != nil {
		return c.Close(0, 0)
	}
	head := c.head.append(nil, c.trueWarmup(), c.transitions(c.kept, c.head.sampler.Draws))
	planned := c.head.append(nil, c.head.sampler.Warmup, c.head.sampler.Draws)
	f := c.f
	c.f, c.err = nil, errClosed
	if bytes.Equal(head, planned) {
		if err := atomicfile.Commit(f, c.path); err != nil {
			return fmt.Errorf("cmdstan: %w", err)
		}
		return nil
	}
	return c.rewrite(f, head)
}

// rewrite copies f behind a new header, because the counts in the header may have changed in
// length.
func (c *Writer) rewrite(f *os.File, head []byte) error {
	defer f.Close()
	g, err := atomicfile.Anew(c.path + ".final" + atomicfile.Part)
	if err != nil {
		return fmt.Errorf("cmdstan: %w", err)
	}
	_, err = g.Write(head)
	if err == nil {
		_, err = f.Seek(c.start, io.SeekStart)
	}
	if err == nil {
		_, err = io.Copy(g, f)
	}
	if err != nil {
		g.Close()
		os.Remove(g.Name())
		return fmt.Errorf("cmdstan: %w", err)
	}
	if err := atomicfile.Commit(g, c.path); err != nil {
		return fmt.Errorf("cmdstan: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		return fmt.Errorf("cmdstan: %w", err)
	}
	return nil
}

// transitions returns a number of transitions that leaves this many rows after thinning. It prefers
// the planned number.
func (c *Writer) transitions(rows, planned int) int {
	thin := c.head.sampler.Thin
	if rows == (planned+thin-1)/thin {
		return planned
	}
	return rows * thin
}

// trueWarmup is the number of warm-up transitions made. If they are not saved it is the planned
// number once warm-up has ended; of one that was neither saved nor ended nothing is left.
func (c *Writer) trueWarmup() int {
	s := c.head.sampler
	if c.adapted && !s.SaveWarmup {
		return s.Warmup
	}
	return c.transitions(c.warmup, s.Warmup)
}

func (c *Writer) fail(format string, args ...any) error {
	c.err = fmt.Errorf("cmdstan: %s: %s", c.path, fmt.Sprintf(format, args...))
	return c.err
}

func (c *Writer) flush() error {
	if _, err := c.f.Write(c.buf); err != nil {
		c.err = fmt.Errorf("cmdstan: %w", err)
		return c.err
	}
	c.buf, c.rows, c.since = c.buf[:0], 0, time.Now()
	return nil
}

// Write writes one file per chain, dir/base_1.csv, dir/base_2.csv, …, and returns their paths.
// A chain that ended early is written with the draws that it has.
func Write(dir, base string, r *draws.Run, opts Options) ([]string, error) {
	if r == nil || len(r.Chains) == 0 {
		return nil, errors.New("cmdstan: run has no chains, expected at least one to write")
	}
	if err := r.Check(); err != nil {
		return nil, err
	}
	var paths []string
	for i := range r.Chains {
		path := filepath.Join(dir, base+"_"+strconv.Itoa(i+1)+".csv")
		if err := writeChain(path, r, i, opts); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

func writeChain(path string, r *draws.Run, chain int, opts Options) error {
	ch := &r.Chains[chain]
	head := *r
	if ch.Metric.Kind != "" {
		head.Sampler.Metric = ch.Metric.Kind
	}
	c, err := New(path, &head, chain, opts)
	if err != nil {
		return err
	}
	if err := ch.Replay(c); err != nil {
		c.f.Close()
		os.Remove(c.f.Name())
		return err
	}
	if err := c.Close(ch.WarmupSeconds, ch.SampleSeconds); err != nil {
		os.Remove(path + atomicfile.Part)
		return err
	}
	return nil
}

// appendRow appends one line. With -1 digits numbers are written so that they read back bit for bit.
func appendRow(b []byte, columns []column, values []float64, s draws.Stat, digits int) []byte {
	for _, x := range []float64{s.LP, s.AcceptStat, s.StepSize} {
		b = append(strconv.AppendFloat(b, x, 'g', digits, 64), ',')
	}
	b = append(strconv.AppendInt(b, int64(s.TreeDepth), 10), ',')
	b = append(strconv.AppendInt(b, int64(s.Leapfrogs), 10), ',')
	if s.Divergent {
		b = append(b, '1', ',')
	} else {
		b = append(b, '0', ',')
	}
	b = strconv.AppendFloat(b, s.Energy, 'g', digits, 64)
	for _, c := range columns {
		b = strconv.AppendFloat(append(b, ','), values[c.col], 'g', digits, 64)
	}
	return append(b, '\n')
}

// appendAdaptation appends exactly the lines that CmdStan's own reader counts.
func appendAdaptation(b []byte, stepSize float64, m draws.Metric) []byte {
	b = append(b, "# Adaptation terminated\n# Step size = "...)
	b = append(strconv.AppendFloat(b, stepSize, 'g', -1, 64), '\n')
	switch m.Kind {
	case "diag_e":
		return appendList(append(b, "# Diagonal elements of inverse mass matrix:\n"...), m.Diag)
	case "dense_e":
		b = append(b, "# Elements of inverse mass matrix:\n"...)
		for _, row := range m.Dense {
			b = appendList(b, row)
		}
		return b
	}
	return append(b, "# No free parameters for unit metric\n"...)
}

func appendList(b []byte, row []float64) []byte {
	b = append(b, "# "...)
	for i, x := range row {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = strconv.AppendFloat(b, x, 'g', -1, 64)
	}
	return append(b, '\n')
}

// appendTimes appends the footer. CmdStan's own reader expects the numbers in column 17.
func appendTimes(b []byte, warmup, sample float64) []byte {
	format := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	pad := "#" + strings.Repeat(" ", 16)
	return fmt.Appendf(b, "# \n#  Elapsed Time: %s seconds (Warm-up)\n%s%s seconds (Sampling)\n"+
		"%s%s seconds (Total)\n# \n",
		format(warmup), pad, format(sample), pad, format(warmup+sample))
}
