package input

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/frame"

	"gonum.org/v1/gonum/mat"
)

// BagFlags say which rows belong to one bag, and what its label is.
type BagFlags struct {
	bag, target, predict string
	columns              ColumnFlags
}

// Define defines the flags.
func (f *BagFlags) Define(s *cli.FlagSet) {
	s.Group("Data")
	s.Text(&f.bag, "bag", "", "the `column` that says which bag a row belongs to")
	s.Text(&f.target, "y", "", "the `column` to predict: one value for all rows of a bag, numbers or two classes")
	s.Text(&f.predict, "predict", "", "a `file` of new bags, with the same columns; y may be missing")
	f.columns.Define(s)
}

// Check finds what is wrong with the flags.
func (f *BagFlags) Check(files []string) error {
	switch {
	case len(files) != 1:
		return cli.Usagef("found %s, want one with all bags; a pattern in quotes, such as 'part-*.csv', makes one "+
			"table of several files", cli.Plural(len(files), "file"))
	case f.bag == "":
		return cli.Usagef("-bag is missing, want the column that says which bag a row belongs to")
	case f.target == "":
		return cli.Usagef("-y is missing, want the column to predict")
	case f.bag == f.target:
		return cli.Usagef("-bag and -y both name %s, want two columns", f.bag)
	case f.predict == "-" && files[0] == "-":
		return cli.Usagef("both files are -, and standard input can be read only once")
	}
	if err := f.columns.Check(); err != nil {
		return err
	}
	for flag, name := range map[string]string{"bag": f.bag, "y": f.target} {
		if slices.Contains(Split(f.columns.columns), name) {
			return cli.Usagef("column %s is in -columns and in -%s, want it in one", name, flag)
		}
	}
	if err := f.columns.notDropped("bag", f.bag); err != nil {
		return err
	}
	return f.columns.notDropped("y", f.target)
}

// Bags are samples with labels.
type Bags struct {
	*Many
	Bag, Target string
	Y           []float64
	Classes     []string // two, which Y has as 0 and 1; nil for numbers
	New         *NewBags // nil without -predict
}

// NewBags are samples whose labels are to be predicted.
type NewBags struct {
	Source string
	Names  []string
	Of     []*mat.Dense
}

// Load reads the bags.
func (f *BagFlags) Load(con *cli.Console, files []string) (*Bags, error) {
	o := f.columns.options()
	o.Label, o.Group, o.Remedies.Label = f.bag, f.target, "-bag"
	train, err := Open(con, files[0], o)
	if err != nil {
		return nil, err
	}
	tables := []*frame.Frame{train}
	if f.predict != "" {
		o.Group = ""
		next, err := Open(con, f.predict, o)
		if err != nil {
			return nil, err
		}
		if k := slices.Index(next.Names, train.Group); k >= 0 {
			next.Keep(slices.DeleteFunc(upTo(len(next.Names)), func(j int) bool { return j == k })...)
		}
		if err := frame.Match(train, next); err != nil {
			return nil, err
		}
		tables = append(tables, next)
	}
	frame.SameTypes(tables...)
	var left []string
	if f.predict != "" && f.columns.columns == "" { // what the known bags are learned from does not depend on new ones
		if left, err = leaveOut(tables[:1], design{label: train.Label, groups: train.Labels}, append(Split(f.columns.categories), f.bag,
			f.target, f.columns.counts)); err != nil {
			return nil, err
		}
		var keep []int
		for k, name := range tables[1].Names {
			if slices.Contains(train.Names, name) {
				keep = append(keep, k)
			}
		}
		tables[1].Keep(keep...)
	}
	told, err := f.columns.settle(tables, design{label: train.Label, groups: train.Labels}, f.bag, f.target)
	if err != nil {
		return nil, err
	}
	told = slices.Concat(left, told)
	told = append(append(told, varying(tables)...), indicators(tables)...)
	out := &Bags{Bag: train.Label, Target: train.Group, Many: &Many{Dataset: &Dataset{Columns: train.Names,
		where: train.Source, Source: sampleName(files[0]),
		Notes: slices.Concat([]string{usedColumns(train.Names)}, told, notes(con, tables))}}}
	if out.Names, out.Of, err = train.Split(); err != nil {
		return nil, err
	}
	if err := out.label(train); err != nil {
		return nil, err
	}
	for i, t := range tables[1:] {
		out.New = &NewBags{Source: sampleName(f.predict)}
		if out.New.Names, out.New.Of, err = tables[i+1].Split(); err != nil {
			return nil, err
		}
		if err := checkSize(t.Source, t.Names, t.Data, columnRanges(t.Data)); err != nil {
			return nil, err
		}
	}
	return out, out.pool()
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// label reads the labels of the bags.
func (b *Bags) label(t *frame.Frame) error {
	of := map[string]string{}
	for i, name := range t.Labels {
		was, seen := of[name]
		if seen && was != t.Groups[i] {
			return fmt.Errorf("%s: column %s has %s and %s in %s %s, want one value for each %s", t.Source, b.Target,
				was, t.Groups[i], b.Bag, name, b.Bag)
		}
		of[name] = t.Groups[i]
	}
	var distinct []string
	numbers := true
	for _, name := range b.Names {
		text := of[name]
		if !slices.Contains(distinct, text) {
			distinct = append(distinct, text)
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			numbers = false
		}
		b.Y = append(b.Y, v)
	}
	slices.Sort(distinct)
	switch {
	case len(distinct) == 1:
		return fmt.Errorf("%s: column %s is %s in all bags, want at least two values", t.Source, b.Target, distinct[0])
	case len(distinct) == 2 && (!numbers || slices.Equal(distinct, []string{"0", "1"})):
		b.Classes = distinct
		for i, name := range b.Names {
			b.Y[i] = float64(slices.Index(distinct, of[name]))
		}
	case !numbers:
		return fmt.Errorf("%s: column %s has text and %d values, such as %s, want numbers or two classes", t.Source,
			b.Target, len(distinct), cli.AndList(distinct[:3]))
	}
	for i, v := range b.Y {
		if math.Abs(v) > largest {
			return fmt.Errorf("%s: column %s: %g of %s %s is too large, want at most ±%g", t.Source, b.Target, v, b.Bag,
				b.Names[i], largest)
		}
	}
	return nil
}

// pool checks the rows and puts them together.
func (b *Bags) pool() error {
	total, dim := 0, len(b.Columns)
	var ranges [][][2]float64
	for _, x := range b.Of {
		n, _ := x.Dims()
		total += n
		ranges = append(ranges, columnRanges(x))
	}
	b.P, b.PName = mat.NewDense(total, dim, nil), b.Source
	at := 0
	for i, x := range b.Of {
		if err := checkSize(b.where, b.Columns, x, ranges[i]); err != nil {
			return err
		}
		n, _ := x.Dims()
		b.P.Slice(at, at+n, 0, dim).(*mat.Dense).Copy(x)
		at += n
	}
	const least = 10
	switch k := len(b.Of); {
	case k < least:
		return fmt.Errorf("%s: found %s, want at least %d to learn from", b.where, cli.Plural(k, "bag"), least)
	case total == k:
		return fmt.Errorf("%s: each of the %d bags has one row, want rows that belong together: is %s the column of "+
			"bags?", b.where, k, b.Bag)
	case equalRows(b.P):
		return fmt.Errorf("%s: all %d rows are equal, want at least 2 distinct ones", b.where, total)
	}
	return checkSpread(b.where, b.Columns, ranges...)
}
