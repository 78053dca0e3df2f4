package main

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"bayeskernel/internal/rng"
	"bayeskernel/internal/table"

	"gonum.org/v1/gonum/mat"
)

// dataFlags say what is read.
type dataFlags struct {
	n                  int
	label, columns, na string
	weights            string
	blocks             string // the column of -blocks, which is a flag of tests
}

// define defines the flags; without files, some commands have an example. weights says what the
// weights are for.
func (d *dataFlags) define(s *flagSet, example bool, weights string) {
	s.group("Data")
	if example {
		s.whole(&d.n, "n", 400, "without files: the number of `rows` in each of the two samples of "+
			"the example")
	}
	s.text(&d.label, "label", "", "for one file with two samples: the `column` of the labels that "+
		"tell them apart (a name, or a number from 1)")
	s.text(&d.columns, "columns", "", "the `columns` to use, separated by commas: names, or numbers "+
		"from 1 (default all that no other flag names)")
	s.text(&d.weights, "weights", "", "the `column` of the rows' weights, positive numbers (in both "+
		"files, if there are two). "+weights)
	s.choice(&d.na, "na", "error", []string{"error", "drop"}, "`what` to do with rows in "+
		"which a value is missing: error or drop")
}

// dataset is one sample or two, in the units they came in.
type dataset struct {
	p, q         *mat.Dense // q is nil for a single sample
	pName, qName string
	columns      []string
	source       string    // what the samples are, in words
	where        string    // the files, for errors
	from         [2]string // where each sample is from, for errors
	synthetic    bool
	weights      *rowWeights // nil without -weights
	blocks       []int       // of all rows, P before Q; nil without -blocks
	notes        []string
}

// loadOr reads the files; without files it draws the example.
func (d *dataFlags) loadOr(set *flagSet, con *console, files []string, seed uint64) (*dataset,
	error) {
	data, err := d.load(set, con, files)
	if data == nil && err == nil {
		return example(d.n, seed)
	}
	return data, err
}

// words are the flags that say which data are read, and the files, as the user would type them.
func (d *dataFlags) words(files []string) []string {
	var words []string
	for _, f := range [][2]string{{"-label", d.label}, {"-columns", d.columns},
		{"-weights", d.weights}} {
		if f[1] != "" {
			words = append(words, f[0], quote(f[1]))
		}
	}
	if d.na != "error" {
		words = append(words, "-na", d.na)
	}
	for _, f := range files {
		words = append(words, quote(f))
	}
	return words
}

// load reads the files; nil if there are none.
func (d *dataFlags) load(set *flagSet, con *console, files []string) (*dataset, error) {
	if len(files) > 0 && set.given("n") {
		return nil, usagef("-n is for the example without files, but %s is given", files[0])
	}
	if len(files) == 0 {
		for _, name := range []string{"label", "columns", "weights", "na"} {
			if set.given(name) {
				return nil, usagef("-%s needs a file", name)
			}
		}
		if d.n < 2 {
			return nil, usagef("-n is %d, want at least 2 rows", d.n)
		}
		return nil, nil
	}
	o := table.Options{Label: d.label, Group: d.blocks, Weight: d.weights,
		Columns: split(d.columns)}
	if d.columns != "" && len(o.Columns) == 0 {
		return nil, usagef("-columns is %q, want names or numbers separated by commas", d.columns)
	}
	var err error
	if o.Missing, err = table.ParseMissing(d.na); err != nil {
		return nil, &usageError{"-na: " + err.Error()}
	}
	switch {
	case len(files) > 2:
		return nil, usagef("%d files are given, want at most 2: P and Q", len(files))
	case d.label != "" && len(files) == 2:
		return nil, usagef("-label %s needs both samples in one file, but 2 are given", d.label)
	case len(files) == 2 && files[0] == "-" && files[1] == "-":
		return nil, usagef("both files are -, and standard input can be read only once")
	}
	data, err := readSamples(con, files, o)
	if err != nil {
		return nil, err
	}
	return data, data.check()
}

// check refuses samples of which nothing can be learned.
func (d *dataset) check() error {
	for i, rows := range []*mat.Dense{d.p, d.q} {
		if rows == nil {
			continue
		}
		if n, _ := rows.Dims(); n < 2 {
			return fmt.Errorf("%s: found %s, want at least 2", d.from[i], plural(n, "row"))
		}
		if err := checkSize(d.from[i], d.columns, rows); err != nil {
			return err
		}
	}
	all := d.pooled()
	if n, _ := all.Dims(); equalRows(all) {
		return fmt.Errorf("%s: all %d rows are equal, want at least 2 distinct ones", d.where, n)
	}
	return checkSpread(d.where, d.columns, all)
}

// equalRows reports whether all rows are the same.
func equalRows(rows *mat.Dense) bool {
	n, _ := rows.Dims()
	for i := range n {
		if !slices.Equal(rows.RawRowView(i), rows.RawRowView(0)) {
			return false
		}
	}
	return true
}

// What is computed from values between these bounds, results or pictures, does not overflow,
// underflow or run out of digits.
const (
	largest     = 1e290  // of a value
	leastSpread = 1e-290 // of a column that is not constant
	leastDigits = 1e-12  // of a column's spread over its largest value
)

// checkSize refuses larger values.
func checkSize(from string, columns []string, rows *mat.Dense) error {
	n, _ := rows.Dims()
	for i := range n {
		for k, v := range rows.RawRowView(i) {
			if math.Abs(v) > largest {
				return fmt.Errorf("%s: row %d, column %q: %g is too large, want at most ±%g; divide "+
					"the column by a power of ten", from, i+1, columns[k], v, largest)
			}
		}
	}
	return nil
}

// checkSpread refuses columns whose values are nearly the same.
func checkSpread(from string, columns []string, rows *mat.Dense) error {
	for k, name := range columns {
		values := mat.Col(nil, k, rows)
		lo, hi := slices.Min(values), slices.Max(values)
		switch spread, size := hi-lo, math.Max(math.Abs(lo), math.Abs(hi)); {
		case spread == 0:
		case spread < leastSpread:
			return fmt.Errorf("%s: the range of column %q is %.3g, want at least %g; multiply the "+
				"column by a power of ten", from, name, spread, leastSpread)
		case spread < leastDigits*size:
			return fmt.Errorf("%s: the range of column %q is only %.3g at values of %.3g, want at "+
				"least %g of the values; subtract a constant from the column", from, name, spread, size,
				leastDigits)
		}
	}
	return nil
}

// readSamples reads one or two files.
func readSamples(con *console, files []string, o table.Options) (*dataset, error) {
	tables := make([]*table.Table, len(files))
	var err error
	data := &dataset{}
	for i, f := range files {
		if tables[i], err = openTable(con, f, o); err != nil {
			return nil, err
		}
		if k := tables[i].Dropped; k > 0 {
			data.notes = append(data.notes, fmt.Sprintf("%s: left out %s with missing values.", f,
				plural(k, "row")))
		}
	}
	first := tables[0]
	groups := first.Groups
	data.columns, data.p, data.pName = first.Names, first.Data, sampleName(files[0])
	data.source = data.pName
	data.where, data.from[0] = first.Source, first.Source
	switch {
	case len(files) == 2:
		if err := table.Match(first, tables[1]); err != nil {
			return nil, err
		}
		data.q, data.qName, data.from[1] = tables[1].Data, sampleName(files[1]), tables[1].Source
		data.where += " and " + tables[1].Source
		groups = append(groups, tables[1].Groups...)
		if data.pName == data.qName {
			data.pName, data.qName = "P "+data.pName, "Q "+data.qName
		}
		data.source = data.pName + " and " + data.qName
	case o.Label != "":
		levels, parts, err := first.Split()
		if err != nil {
			return nil, err
		}
		if len(levels) != 2 {
			return nil, fmt.Errorf("%s: column %q has %s (%s), want 2 to tell two samples apart",
				first.Source, first.Label, plural(len(levels), "distinct label"),
				shorten(strings.Join(levels, ", "), 60))
		}
		data.p, data.q, data.pName, data.qName = parts[0], parts[1], levels[0], levels[1]
		data.source = fmt.Sprintf("%s by %s", first.Source, first.Label)
		for i, level := range levels {
			data.from[i] = fmt.Sprintf("%s: label %q of column %q", first.Source, level, first.Label)
		}
		if groups != nil {
			groups = slices.Concat(inSamples(groups, first.Labels, data.pName)...)
		}
	}
	data.blocks = blockNumbers(groups)
	return data, data.weightsOf(tables)
}

// split reads a list of columns.
func split(list string) []string {
	var out []string
	for _, c := range strings.Split(list, ",") {
		if c = strings.TrimSpace(c); c != "" {
			out = append(out, c)
		}
	}
	return out
}

// openTable reads a file.
func openTable(con *console, name string, o table.Options) (*table.Table, error) {
	if name != "-" { // at standard input the user may be typing
		defer con.working("reading %s", name).end()
	}
	return table.Open(name, con.stdin, o)
}

// sampleName is what a sample from a file is called in tables and pictures.
func sampleName(file string) string {
	if file == "-" {
		return "standard input"
	}
	name := filepath.Base(file)
	for _, ext := range []string{".gz", ".csv", ".tsv", ".txt"} {
		name = strings.TrimSuffix(name, ext)
	}
	return name
}

// example draws the two samples of section 5.2 of Flaxman et al. (2016): standard normal and
// Laplace, equal in mean and variance.
func example(n int, seed uint64) (*dataset, error) {
	src, err := rng.New("", rng.Name{Seed: seed, Purpose: "normal against Laplace"}, 0)
	if err != nil {
		return nil, err
	}
	r := rand.New(src)
	d := &dataset{p: mat.NewDense(n, 1, nil), q: mat.NewDense(n, 1, nil), columns: []string{"x"},
		pName: "N(0, 1)", qName: "Laplace(0, √½)", synthetic: true,
		source: "synthetic samples of N(0, 1) and Laplace(0, √½)"}
	for i := range n {
		d.p.Set(i, 0, r.NormFloat64())
		u := r.Float64() - 0.5
		d.q.Set(i, 0, -math.Copysign(math.Sqrt(0.5)*math.Log1p(-2*math.Abs(u)), u))
	}
	return d, nil
}

// pooled returns all rows, P before Q.
func (d *dataset) pooled() *mat.Dense {
	if d.q == nil {
		return d.p
	}
	var all mat.Dense
	all.Stack(d.p, d.q)
	return &all
}

// hash tells data sets and pseudo-inputs apart in checkpoints and records.
func hash(list ...*mat.Dense) string {
	h := sha256.New()
	var b [8]byte
	for _, a := range list {
		if a == nil {
			continue
		}
		n, dim := a.Dims()
		fmt.Fprintf(h, "%d x %d\n", n, dim)
		buf := make([]byte, 0, 8*dim)
		for i := range n {
			buf = buf[:0]
			for _, v := range a.RawRowView(i) {
				binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
				buf = append(buf, b[:]...)
			}
			h.Write(buf)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// plural writes a number of things: 1 row, 2 rows.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// shorten cuts a text that is longer than width.
func shorten(s string, width int) string {
	if r := []rune(s); len(r) > width {
		return string(r[:width-1]) + "…"
	}
	return s
}

// blockNumbers numbers labels in the order in which they come; nil if there are none.
func blockNumbers(labels []string) []int {
	if labels == nil {
		return nil
	}
	seen := map[string]int{}
	out := make([]int, len(labels))
	for i, l := range labels {
		if _, ok := seen[l]; !ok {
			seen[l] = len(seen)
		}
		out[i] = seen[l]
	}
	return out
}
