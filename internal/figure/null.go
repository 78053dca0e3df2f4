package figure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
)

// Null shows the distribution of a test statistic under the null hypothesis as a histogram, with
// the statistic and the critical value. The draws at least as extreme as the statistic, which make
// the p-value, have another colour.
type Null struct {
	Title     string
	Draws     []float64
	Statistic float64
	Small     bool      // small statistics are extreme, as p-values are, not large ones
	Critical  float64   // NaN: none
	Alpha     float64   // level of the critical value; 0 if it is not to be said
	PValue    float64   // NaN: none
	CurveX    []float64 // a density over the histogram, increasing; optional
	CurveY    []float64
	CurveName string // default "approximation"
	XLabel    string // default "statistic"
}

// Draw lays the figure out on a page of its own.
func (n Null) Draw() (*Figure, error) { return single(n) }

func (n Null) check() error {
	const kind = "Null"
	if math.Abs(n.Critical) > huge || math.Abs(n.PValue) > huge {
		return fmt.Errorf("figure: %s: Critical is %v and PValue %v, want finite numbers or NaN",
			kind, n.Critical, n.PValue)
	}
	return first(
		nonempty(kind, "Draws", len(n.Draws)),
		finite(kind, "Draws", n.Draws),
		finite(kind, "Statistic", []float64{n.Statistic}),
		checkLevel(kind, n.Alpha),
		finite(kind, "CurveX", n.CurveX),
		increasing(kind, "CurveX", n.CurveX),
		column(kind, "CurveY", n.CurveY, len(n.CurveX), false),
	)
}

func (n Null) plan() (*plan, error) {
	if err := n.check(); err != nil {
		return nil, err
	}
	if n.XLabel == "" {
		n.XLabel = "statistic"
	}
	if n.CurveName == "" {
		n.CurveName = "approximation"
	}
	return &plan{title: n.Title, w: pageWidth, h: 235, draw: n.draw,
		legend: func(w vg.Length) vg.Length { return room(w, n.keys(1)) }}, nil
}

func (n Null) draw(s *scene, r vg.Rectangle) {
	lo, hi, outside := bulk(n.Draws)
	edges, heights := histogram(n.Draws, lo, hi)
	_, top := extent(heights, n.CurveY)
	shown := []float64{edges[0], edges[len(edges)-1], n.Statistic}
	if !math.IsNaN(n.Critical) {
		shown = append(shown, n.Critical)
	}
	lo, hi = extent(shown)
	lo, hi = spread(lo, hi, 0.03)
	p := &panel{s: s, xlabel: n.XLabel, ylabel: "density", mute: true, zoom: "x",
		read: n.readout(edges)}
	p.setUp(r, n.keys(outside), axis{lo, hi, false}, axis{0, 1.05 * top, false})
	p.axes()
	var below, above vg.Path
	for i, h := range heights {
		a, b := edges[i], edges[i+1]
		cut := min(max(n.Statistic, a), b)
		below = p.bar(below, a, cut, h)
		above = p.bar(above, cut, b, h)
	}
	if n.Small {
		below, above = above, below
	}
	s.fill(below, nullColor)
	s.fill(above, tailColor)
	p.curve(n.CurveX, n.CurveY, curvePen)
	if !math.IsNaN(n.Critical) {
		p.upright(n.Critical, criticalPen)
	}
	p.upright(n.Statistic, statisticPen)
	s.leave()
}

// readout counts the draws in each bar.
func (n Null) readout(edges []float64) *readout {
	bars := len(edges) - 1
	r := &readout{X: n.XLabel}
	counts := make(numbers, bars)
	for i := range bars {
		r.At = append(r.At, (edges[i]+edges[i+1])/2)
	}
	for _, v := range n.Draws {
		if v >= edges[0] && v <= edges[bars] {
			counts[min(int((v-edges[0])/(edges[bars]-edges[0])*float64(bars)), bars-1)]++
		}
	}
	r.Rows = []reading{{Name: "draws in this bar", Value: counts}}
	return r
}

var (
	nullColor    = alpha(hue(0), 0.45)
	tailColor    = alpha(hue(1), 0.6)
	curvePen     = pen{color: hue(0), width: 1.5}
	criticalPen  = pen{color: soft, width: 1.3, dash: dashed}
	statisticPen = pen{color: hue(1), width: 1.8}
)

// bar appends an upright bar to a path, with a hair of space at its right.
func (p *panel) bar(path vg.Path, from, to, height float64) vg.Path {
	a, b := p.px(from), p.px(to)
	if b-a < 1e-6 || height <= 0 {
		return path
	}
	if b-a > 2 {
		b -= 0.5
	}
	y := p.py(height)
	return polygon(path, []vg.Point{pt(a, p.r.Min.Y), pt(a, y), pt(b, y), pt(b, p.r.Min.Y)})
}

// extreme reports whether a draw counts for the p-value.
func (n Null) extreme(v float64) bool {
	return v == n.Statistic || v < n.Statistic == n.Small
}

func (n Null) keys(outside int) []key {
	name := fmt.Sprintf("null, %d draws", len(n.Draws))
	if outside > 0 {
		name += fmt.Sprintf(" (%d beyond the bars)", outside)
	}
	keys := []key{{name: name, area: nullColor}}
	if slices.ContainsFunc(n.Draws, n.extreme) {
		keys = append(keys, key{name: "as extreme as observed", area: tailColor})
	}
	if len(n.CurveX) > 0 {
		keys = append(keys, key{name: n.CurveName, pen: curvePen})
	}
	name = "observed " + short(n.Statistic)
	if !math.IsNaN(n.PValue) {
		name += ", p = " + short(n.PValue)
	}
	keys = append(keys, key{name: name, pen: statisticPen})
	if !math.IsNaN(n.Critical) {
		name = "critical " + short(n.Critical)
		if n.Alpha > 0 {
			name += " at level " + short(n.Alpha)
		}
		keys = append(keys, key{name: name, pen: criticalPen, wide: true})
	}
	return keys
}

// histogram gives the heights, as a density of all values, of equal bars from lo to hi, as wide as
// Freedman and Diaconis' rule 2 IQR n^(-1/3) (1981) has them, but 8 to 60 of them.
func histogram(values []float64, lo, hi float64) (edges, heights []float64) {
	lo, hi = spread(lo, hi, 0)
	sorted := sample(values, 100_000)
	slices.Sort(sorted)
	bins := 60
	iqr := quantile(sorted, 0.75) - quantile(sorted, 0.25)
	if width := 2 * iqr / math.Cbrt(float64(len(values))); width*60 > hi-lo {
		bins = max(8, int(math.Ceil((hi-lo)/width)))
	}
	edges, heights = make([]float64, bins+1), make([]float64, bins)
	for i := range edges {
		edges[i] = lo + (hi-lo)*float64(i)/float64(bins)
	}
	for _, v := range values {
		if v >= lo && v <= hi {
			k := min(int((v-lo)/(hi-lo)*float64(bins)), bins-1)
			heights[k] += float64(bins) / (hi - lo) / float64(len(values))
		}
	}
	return edges, heights
}
