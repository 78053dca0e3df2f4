package input

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/frame"

	"gonum.org/v1/gonum/mat"
)

// design is what a command knows of the rows beside their columns.
type design struct {
	label  string   // the column of labels, "" if there is none
	groups []string // the label of each row, or nil
	named  bool     // the user named the labels
	pairs  bool     // the command has -pairs
	blocks bool     // the command has -blocks
	xy     []string // the columns that were chosen for a test of independence
	given  []string // the covariates
	units  *string  // where the column goes that names units, each in one sample alone; nil for nowhere
}

// column is a column of all rows of some tables.
type column struct {
	name   string
	kind   frame.Kind
	levels []string
	values []float64
	group  []int // of each row
	groups int
}

// Roles of a column that is not data.
type role int

const (
	isData     role = iota
	eachRow         // identifies rows
	eachOnce        // identifies pairs: each value occurs once in each group
	acrossRows      // identifies groups of rows that may be in several samples
	withinOne       // identifies groups of rows, each of one sample
	oneSample       // identifies groups of rows, and there is one sample
	again           // numbers rows within groups
)

const (
	// fewestIDs is how many rows a column must have to be taken for identifiers.
	fewestIDs = 5
	// mostJudged is the number of rows up to which values are counted: beyond, only what rises or falls all the
	// way down is taken for identifiers.
	mostJudged = 1_000_000
)

// idNames are what columns of identifiers are called, or what their names end with.
var idNames = regexp.MustCompile(`(?i)(^|[_. ])(id|idx|index|row|rowid|rownum|rownames|row_number|obs|observation|` +
	`case|caseid|subject|subj|patient|participant|person|respondent|individual|animal|chick|mouse|rat|plant|` +
	`stratum|matchset|pair|unnamed: 0|no|nr)$|(?-i:[a-z](ID|Id)$)`)

// countNames are what columns of counts of rows are called.
var countNames = regexp.MustCompile(`(?i)^(freq|frequency|count|counts|n)$`)

// judge says what a column is.
func (c *column) judge() role {
	n := len(c.values)
	if n < fewestIDs || !counted(c.kind) {
		return isData
	}
	for _, v := range c.values {
		if v != v {
			return isData // what is missing identifies nothing
		}
	}
	if n > mostJudged || c.groups > 1 && len(c.group) < n {
		if c.monotone() {
			return eachRow
		}
		return isData
	}
	named := idNames.MatchString(c.name)
	if c.kind == frame.Whole && c.coded() {
		return withinOne
	}
	lo, hi := slices.Min(c.values), slices.Max(c.values)
	size := hi - lo + 1 // of the range
	if c.kind == frame.Whole && !named && size > 4*float64(n) {
		if c.monotone() && n >= 8 {
			return eachRow
		}
		return isData
	}
	count := map[float64]int{}
	for _, v := range c.values {
		count[v]++
	}
	k := float64(len(count))
	switch {
	case len(count) == n && (c.kind == frame.Category || named || size == float64(n) || c.monotone() && n >= 8 ||
		// Of n numbers drawn from the range all are different with probability exp(-n²/2size).
		float64(n)*float64(n)/(2*size) > 7):
		return eachRow
	case c.once(count):
		return eachOnce
	case c.kind == frame.Category && len(count) > max(fewCategories, n/rowsPerCategory),
		named && k >= 3,
		c.kind == frame.Whole && 2*k >= size && (lo == 0 || lo == 1) && k >= 10 && c.steps(lo):
		return c.repeated()
	}
	return isData
}

// coded reports whether numbers are names of units: each stands in one sample alone, many times, and those of
// different samples lie between one another. No amount does that.
func (c *column) coded() bool {
	const fewest, each, turns = 10, 4, 4
	if c.groups < 2 {
		return false
	}
	of := c.samples()
	if len(of) < fewest || len(c.values) < each*len(of) {
		return false
	}
	changes := 0
	sorted := slices.Sorted(maps.Keys(of))
	for i := 1; i < len(sorted); i++ {
		if of[sorted[i]] != of[sorted[i-1]] {
			changes++
		}
	}
	return changes >= turns
}

// samples has the sample that each value stands in; it is nil if one stands in several.
func (c *column) samples() map[float64]int {
	of := map[float64]int{}
	for i, v := range c.values {
		if g, ok := of[v]; ok && g != c.group[i] {
			return nil
		}
		of[v] = c.group[i]
	}
	return of
}

// monotone reports whether values only rise, or only fall, down the rows.
func (c *column) monotone() bool {
	up, down := true, true
	for i := 1; i < len(c.values); i++ {
		up, down = up && c.values[i] > c.values[i-1], down && c.values[i] < c.values[i-1]
	}
	return up || down
}

// steps reports whether the rows are numbered: all but a few values are that before or the next, or start again.
func (c *column) steps(lo float64) bool {
	others := 0
	for i := 1; i < len(c.values); i++ {
		if d := c.values[i] - c.values[i-1]; d != 0 && d != 1 && c.values[i] != lo {
			others++
		}
	}
	return others <= len(c.values)/20
}

// contiguous reports whether equal values stand together.
func (c *column) contiguous() bool {
	runs, seen := 1, map[float64]bool{c.values[0]: true}
	for i := 1; i < len(c.values); i++ {
		if c.values[i] != c.values[i-1] {
			runs++
		}
		seen[c.values[i]] = true
	}
	return runs == len(seen)
}

// once reports whether each value occurs exactly once in each of several groups.
func (c *column) once(count map[float64]int) bool {
	if c.groups < 2 || len(count) < 4 || len(c.values) != c.groups*len(count) {
		return false
	}
	type cell struct {
		v float64
		g int
	}
	seen := map[cell]bool{}
	for i, v := range c.values {
		if seen[cell{v, c.group[i]}] {
			return false
		}
		seen[cell{v, c.group[i]}] = true
	}
	return true
}

// repeated tells groups of rows within samples from those across them.
func (c *column) repeated() role {
	if c.groups < 2 && (c.kind == frame.Category || idNames.MatchString(c.name) || c.contiguous()) {
		return oneSample
	} else if c.groups < 2 {
		return again
	}
	if c.samples() == nil {
		return acrossRows
	}
	if c.kind == frame.Whole && !idNames.MatchString(c.name) && !c.contiguous() {
		return again // such as the days of each unit, where the samples are early and late ones
	}
	return withinOne
}

// columnsOf collects the columns of all tables. Those of numbers with decimals, which are data whatever they hold, have no
// values here, and beyond mostJudged rows the groups are not asked for.
func columnsOf(tables []*frame.Frame, groups []string) []*column {
	number := blockNumbers(groups)
	several := 0
	for _, g := range number {
		several = max(several, g+1)
	}
	rows := 0
	for _, t := range tables {
		n, _ := t.Data.Dims()
		rows += n
	}
	if number == nil && len(tables) > 1 {
		if several = len(tables); rows <= mostJudged {
			number = make([]int, 0, rows) // of each row that of its table
			for i, t := range tables {
				n, _ := t.Data.Dims()
				number = append(number, slices.Repeat([]int{i}, n)...)
			}
		}
	}
	var out []*column
	for k, name := range tables[0].Names {
		c := &column{name: name, kind: tables[0].Types[k].Kind, levels: tables[0].Types[k].Levels, group: number,
			groups: max(1, several)}
		if slices.ContainsFunc(tables, func(t *frame.Frame) bool { return counted(t.Types[k].Kind) }) {
			c.values = make([]float64, 0, rows)
		}
		for _, t := range tables {
			if counted(t.Types[k].Kind) {
				n, _ := t.Data.Dims()
				at := len(c.values)
				c.values = c.values[:at+n]
				mat.Col(c.values[at:], k, t.Data)
			}
		}
		out = append(out, c)
	}
	return out
}

// counted reports whether values of this kind may be identifiers.
func counted(k frame.Kind) bool { return k == frame.Category || k == frame.Whole }

// leaveOut takes identifiers out of the data, and says so: a line for each.
func leaveOut(tables []*frame.Frame, d design, keep []string) (notes []string, err error) {
	columns := columnsOf(tables, d.groups)
	roles := make([]role, len(columns))
	some := false
	for k, c := range columns {
		if !slices.Contains(keep, c.name) {
			roles[k] = c.judge()
		}
		some = some || roles[k] == isData
	}
	if k := countColumn(columns, d.groups); k >= 0 && !slices.Contains(keep, columns[k].name) {
		name := columns[k].name
		return nil, fmt.Errorf("%s: column %s seems to say how often each row occurred: want -counts %s, or -columns "+
			"with %s in it if it is data", sources(tables), name, cli.Quote(name), name)
	}
	if !some {
		return nil, nil // then they are the data
	}
	var left []int
	for k, r := range roles {
		if r == isData {
			left = append(left, k)
			continue
		}
		if r == withinOne && d.units != nil {
			*d.units = columns[k].name
		}
		notes = append(notes, d.sentence(columns[k], r))
	}
	for _, t := range tables {
		t.Keep(left...)
	}
	return notes, nil
}

// countColumn is the column that says how often each row occurred, -1 if there is none: the others hold few
// values, and no two rows share all.
func countColumn(columns []*column, groups []string) int {
	const mostCells = 100_000
	at := slices.IndexFunc(columns, func(c *column) bool {
		return c.kind == frame.Whole && countNames.MatchString(c.name) && len(c.values) > 0 &&
			len(c.values) <= mostCells && slices.Min(c.values) >= 0
	})
	if at < 0 || len(columns) == 1 && groups == nil {
		return -1
	}
	seen := map[string]bool{}
	for i := range columns[at].values {
		var b strings.Builder
		if groups != nil {
			b.WriteString(groups[i])
		}
		for k, c := range columns {
			if k == at {
				continue
			}
			if c.kind != frame.Category && c.kind != frame.Whole {
				return -1
			}
			fmt.Fprintf(&b, ",%v", c.values[i])
		}
		if seen[b.String()] {
			return -1
		}
		seen[b.String()] = true
	}
	return at
}

// sentence says what a column is taken for, and how to use it.
func (d design) sentence(c *column, r role) string {
	distinct := map[float64]bool{}
	for _, v := range c.values {
		distinct[v] = true
	}
	k, name := len(distinct), c.name
	anyhow := "; to use it as data, name it in -columns"
	if c.kind == frame.Category && r != eachRow {
		anyhow = "; to use it as data, add -categories " + cli.Quote(name)
	}
	if c.kind == frame.Category && likeDates(c.levels) {
		anyhow = "; to use it as dates, write them as 2023-10-17"
	}
	switch r {
	case eachRow:
		return fmt.Sprintf("Left out %s, which is different in every row, as identifiers are%s.", name, anyhow)
	case eachOnce:
		how := "bkesample twosample -pairs " + cli.Quote(name)
		if d.pairs {
			how = "-pairs " + cli.Quote(name)
		}
		return fmt.Sprintf("Left out %s: each of its %d values occurs once in each sample. If rows of one value belong "+
			"together, %s compares them as pairs%s.", name, k, how, anyhow)
	case acrossRows:
		how := ""
		if d.blocks {
			how = fmt.Sprintf("; to exchange rows within them alone, -blocks %s", cli.Quote(name))
		}
		return fmt.Sprintf("Left out %s, which names %d groups of rows%s%s.", name, k, how, anyhow)
	case withinOne:
		return fmt.Sprintf("Left out %s, which names %d units, each in one sample alone. Rows of one unit are not "+
			"independent, and p is too small: take a row, or the mean, of each%s.", name, k, anyhow)
	case again:
		return fmt.Sprintf("Left out %s, which counts to %d again and again%s.", name, k, anyhow)
	}
	return fmt.Sprintf("Left out %s, which names %d groups of rows%s.", name, k, anyhow)
}
