package figure

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
)

// Trace shows the draws of a sampler, a row of three panels for each parameter. The first has the
// chains against the iteration, with divergent iterations marked below. The second has for each
// chain the histogram of its ranks among all chains' draws, with the line that they should keep to;
// its band holds all bars of a parameter with probability 99% if draws are independent. The third
// has the marginal densities. Of more than six parameters the first six are shown.
type Trace struct {
	Title     string
	Names     []string      // of the parameters
	Chains    [][][]float64 // parameter, chain, iteration; chains may differ in length
	Divergent [][]bool      // chain, iteration; optional
	RHat, ESS []float64     // a number per parameter, NaN where unknown; optional
}

const maxRows = 6

// Draw lays the figure out on a page of its own.
func (t Trace) Draw() (*Figure, error) { return single(t) }

func (t Trace) check() error {
	const kind = "Trace"
	if len(t.Chains) != len(t.Names) {
		return fmt.Errorf("figure: %s: Chains of %d parameters, %d Names", kind, len(t.Chains),
			len(t.Names))
	}
	if err := nonempty(kind, "Names", len(t.Names)); err != nil {
		return err
	}
	for i, chains := range t.Chains {
		if err := sameShape(t.Chains[0], chains); err != nil {
			return fmt.Errorf("figure: %s: %q: %w", kind, t.Names[i], err)
		}
		for c, xs := range chains {
			if err := finite(kind, fmt.Sprintf("%q chain %d", t.Names[i], c+1), xs); err != nil {
				return err
			}
		}
	}
	for _, d := range []struct {
		name string
		xs   []float64
	}{{"RHat", t.RHat}, {"ESS", t.ESS}} {
		if len(d.xs) > 0 && len(d.xs) != len(t.Names) {
			return fmt.Errorf("figure: %s: %s has %d values, want %d", kind, d.name, len(d.xs),
				len(t.Names))
		}
	}
	return t.checkDivergent()
}

// sameShape checks that chains has as many chains as the first parameter's, as long, with a draw.
func sameShape(first, chains [][]float64) error {
	if len(chains) != len(first) {
		return fmt.Errorf("%d chains, want %d as of the first parameter", len(chains), len(first))
	}
	draws := 0
	for c, xs := range chains {
		if len(xs) != len(first[c]) {
			return fmt.Errorf("chain %d has %d draws, want %d as of the first parameter", c+1,
				len(xs), len(first[c]))
		}
		draws += len(xs)
	}
	if draws == 0 {
		return errors.New("no draws")
	}
	return nil
}

func (t Trace) checkDivergent() error {
	if len(t.Divergent) == 0 {
		return nil
	}
	if len(t.Divergent) != len(t.Chains[0]) {
		return fmt.Errorf("figure: Trace: Divergent has %d chains, want %d", len(t.Divergent),
			len(t.Chains[0]))
	}
	for c, d := range t.Divergent {
		if len(d) != len(t.Chains[0][c]) {
			return fmt.Errorf("figure: Trace: Divergent[%d] has %d values, want %d", c, len(d),
				len(t.Chains[0][c]))
		}
	}
	return nil
}

// Sizes of a trace plot.
const (
	traceWidth = vg.Length(580)
	rowHeight  = vg.Length(112) // of the panels
	rowHead    = vg.Length(18)  // the parameter's name and figures
	rowGap     = vg.Length(7)
	lowRow     = vg.Length(70) // of the panels of a narrow page
	stackGap   = tickLength + tickGap + tickSize + labelGap + labelSize + 8
	traceFoot  = labelSize + labelGap // the labels under the last row
)

func (t Trace) plan() (*plan, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	rows := min(len(t.Names), maxRows)
	d := &traces{Trace: t, rows: make([]parameter, rows)}
	for i := range d.rows {
		d.rows[i] = newParameter(t.Names[i], t.Chains[i])
	}
	for _, div := range t.Divergent {
		for _, is := range div {
			if is {
				d.divergent++
			}
		}
	}
	return &plan{title: t.Title, w: traceWidth, heightAt: d.heightAt, draw: d.draw,
		legend: func(vg.Length) vg.Length { return 2 * keyHeight }}, nil
}

// heightAt is the height without the legend on a page of width w.
func (d *traces) heightAt(w vg.Length) vg.Length {
	h := traceFoot
	for i := range d.rows {
		h += d.rows[i].height(w)
	}
	if len(d.Names) > len(d.rows) {
		h += keyHeight
	}
	return h
}

// stacked reports whether a page is so narrow that the ranks and the densities go below the traces.
func stacked(w vg.Length) bool { return w < 400 }

// traces is a checked Trace with what its panels show.
type traces struct {
	Trace
	rows      []parameter
	divergent int
}

// parameter holds the numbers of one row.
type parameter struct {
	name      string
	chains    [][]float64
	lo, hi    float64 // of all draws
	from, to  float64 // range of the densities
	outside   int     // draws outside of it
	densities [][2][]float64
	top       float64
	bins      int
	counts    [][]float64
}

func newParameter(name string, chains [][]float64) parameter {
	p := parameter{name: name, chains: chains}
	var all []float64
	longest := 0
	for _, xs := range chains {
		all = append(all, xs...)
		longest = max(longest, len(xs))
	}
	p.lo, p.hi = extent(all)
	p.from, p.to, p.outside = bulk(all)
	p.from, p.to = spread(p.from, p.to, 0.04)
	p.bins = rankBins(longest)
	p.counts = rankCounts(chains, p.bins)
	for _, xs := range chains {
		var curve [2][]float64
		if len(xs) > 0 {
			curve[0], curve[1] = density(xs, p.from, p.to)
			_, high := extent(curve[1])
			p.top = max(p.top, high)
		}
		p.densities = append(p.densities, curve)
	}
	return p
}

// constant reports whether all draws are the same number: there is nothing to plot.
func (p *parameter) constant() bool { return p.lo == p.hi }

// height is the height of the parameter's row.
func (p *parameter) height(w vg.Length) vg.Length {
	switch {
	case p.constant():
		return rowHead + rowGap
	case stacked(w):
		return rowHead + 2*lowRow + stackGap + rowGap
	}
	return rowHead + rowHeight + rowGap
}

func (d *traces) draw(s *scene, r vg.Rectangle) {
	width := r.Max.X - r.Min.X
	s.legend(d.keys(), r.Max.Sub(pt(width, 0)), width)
	top := r.Max.Y - s.legendHeight(d.keys(), width)
	bottom := r.Min.Y + traceFoot - rowGap + 3
	if len(d.Names) > len(d.rows) {
		bottom += keyHeight
		txt := "1 more parameter is not shown"
		if n := len(d.Names) - len(d.rows); n > 1 {
			txt = fmt.Sprintf("%d more parameters are not shown", n)
		}
		s.text(label{txt: txt, at: pt(r.Min.X, r.Min.Y+3), font: noteFont, color: soft})
	}
	total := vg.Length(0)
	for i := range d.rows {
		total += d.rows[i].height(width)
	}
	y := top
	for i := range d.rows {
		h := d.rows[i].height(width) * (top - bottom) / total
		d.row(s, rect(r.Min.X, y-h+rowGap, r.Max.X, y), i, i == len(d.rows)-1)
		y -= h
	}
}

func (d *traces) keys() []key {
	var keys []key
	const most = 8
	chains := d.Chains[0]
	for c := range min(len(chains), most) {
		keys = append(keys, key{name: fmt.Sprintf("chain %d", c+1),
			pen: pen{color: hue(c), width: 1.6}})
	}
	if len(chains) > most {
		keys = append(keys, key{name: fmt.Sprintf("… %d chains", len(chains)), none: true})
	}
	if d.divergent > 0 {
		keys = append(keys, key{name: fmt.Sprintf("divergent (%d)", d.divergent), tick: ink})
	}
	return keys
}

// row draws the three panels of parameter i; only the last row has labels under its axes.
func (d *traces) row(s *scene, r vg.Rectangle, i int, last bool) {
	p := &d.rows[i]
	frame := r
	width := r.Max.X - r.Min.X
	r.Max.Y -= rowHead
	r.Min.Y += tickLength + tickGap + tickSize
	if p.constant() {
		d.head(s, frame, i, tick{})
		return
	}
	trace := &panel{s: s, zoom: "x", link: 1, read: d.readout(i)}
	lo, hi := spread(p.lo, p.hi, 0.05)
	trace.y = vertical(lo, hi, false, r.Max.Y-r.Min.Y)
	d.head(s, frame, i, trace.y.note)
	trace.y.note = tick{} // said in the head
	left := vg.Length(0)
	for j := range d.rows { // one margin for all rows
		lo, hi := spread(d.rows[j].lo, d.rows[j].hi, 0.05)
		other := panel{y: vertical(lo, hi, false, r.Max.Y-r.Min.Y)}
		left = max(left, other.leftOf())
	}
	const gap = 22
	marginal := &panel{s: s, mute: true}
	var ranks vg.Rectangle
	if stacked(width) {
		low := (r.Max.Y - r.Min.Y - stackGap) / 2
		trace.r = rect(r.Min.X+left, r.Max.Y-low, r.Max.X-10, r.Max.Y)
		half := (width - 10 - gap) / 2
		ranks = rect(r.Min.X+2, r.Min.Y, r.Min.X+half, r.Min.Y+low)
		marginal.r = rect(r.Max.X-10-half, r.Min.Y, r.Max.X-10, r.Min.Y+low)
	} else {
		free := width - left - 2*gap - 14
		x := r.Min.X + left
		trace.r = rect(x, r.Min.Y, x+0.46*free, r.Max.Y)
		x += 0.46*free + gap
		ranks = rect(x, r.Min.Y, x+0.27*free, r.Max.Y)
		x += 0.27*free + gap
		marginal.r = rect(x, r.Min.Y, x+0.27*free, r.Max.Y)
	}
	if last {
		marginal.xlabel = "density"
	}
	if last || stacked(width) {
		trace.xlabel = "iteration"
	}
	if s.web != nil {
		trace.coarse = d.column()
		marginal.coarse = trace.coarse
	}
	d.iterations(trace, p)
	d.ranks(s, ranks, p, last)
	d.marginals(marginal, p)
}

// column is how coarse lines are on an HTML page, so that many chains do not make it heavy.
func (d *traces) column() vg.Length {
	const usual, lines = 0.7, 14
	return min(usual*vg.Length(len(d.rows)*len(d.Chains[0]))/lines, 10)
}

// readout has the draws of all chains at evenly spread iterations.
func (d *traces) readout(i int) *readout {
	chains := d.rows[i].chains
	longest := 0
	for _, xs := range chains {
		longest = max(longest, len(xs))
	}
	at := every(longest, 125)
	r := &readout{X: "iteration"}
	for _, k := range at {
		r.At = append(r.At, float64(k+1))
	}
	for c, xs := range chains[:min(len(chains), 8)] {
		row := reading{Name: fmt.Sprintf("%s, chain %d", d.rows[i].name, c+1)}
		for _, k := range at {
			v := math.NaN()
			if k < len(xs) {
				v = xs[k]
			}
			row.Value = append(row.Value, v)
		}
		r.Rows = append(r.Rows, row)
	}
	return r
}

// head writes the parameter's name, the unit of its vertical axis and its diagnostics.
func (d *traces) head(s *scene, r vg.Rectangle, i int, unit tick) {
	y := r.Max.Y - rowHead + 6
	var facts []string
	add := func(name string, xs []float64, format string) {
		if len(xs) == 0 {
			return
		}
		txt := "unknown"
		if !math.IsNaN(xs[i]) {
			txt = minus(fmt.Sprintf(format, xs[i]))
		}
		facts = append(facts, name+" "+txt)
	}
	add("R-hat", d.RHat, "%.3f")
	add("bulk ESS", d.ESS, "%.0f")
	if p := &d.rows[i]; p.constant() {
		value := strconv.FormatFloat(p.lo, 'g', 6, 64)
		facts = append([]string{"every draw is " + minus(value)}, facts...)
	}
	if n := d.rows[i].outside; n > 0 {
		facts = append(facts, fmt.Sprintf("%d draws beyond the density's axis", n))
	}
	fact := strings.Join(facts, ", ")
	note := label{txt: unit.txt, sup: unit.sup, font: noteFont, color: soft}
	room := r.Max.X - r.Min.X - noteFont.width(fact) - note.width() - 24
	name := label{txt: fit(d.rows[i].name, boldFont, room), at: pt(r.Min.X, y), font: boldFont,
		color: ink}
	s.text(name)
	x := r.Min.X + name.width() + 5
	note.at = pt(x, y)
	s.text(note)
	s.text(label{txt: fact, at: pt(x+note.width()+10, y), font: noteFont, color: soft})
}

// iterations draws the traces.
func (d *traces) iterations(p *panel, par *parameter) {
	longest := 5 // a shorter axis would have fractions
	for _, xs := range par.chains {
		longest = max(longest, len(xs))
	}
	p.x = horizontal(0, float64(longest), false, p.width())
	p.axes()
	opacity := 0.75
	if len(par.chains) > 4 {
		opacity = 0.5
	}
	for c, xs := range par.chains {
		at := make([]float64, len(xs))
		for i := range at {
			at[i] = float64(i + 1)
		}
		if len(xs) == 1 {
			p.dots(at, xs, 2, hue(c))
		}
		p.curve(at, xs, pen{color: alpha(hue(c), opacity), width: 0.7})
	}
	var marks []float64
	for _, div := range d.Divergent {
		for i, is := range div {
			if is {
				marks = append(marks, float64(i+1))
			}
		}
	}
	p.rug(marks, p.r.Min.Y+6, 6, ink)
	p.s.leave()
}

// marginals draws the density of each chain.
func (d *traces) marginals(p *panel, par *parameter) {
	p.x = horizontal(par.from, par.to, false, p.width())
	p.y = scale{min: 0, max: max(par.top*1.04, tiny)}
	p.axes()
	for c, curve := range par.densities {
		if len(curve[0]) > 0 {
			p.curve(curve[0], curve[1], pen{color: hue(c), width: 1.2})
		}
	}
	p.s.leave()
}
