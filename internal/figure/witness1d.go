package figure

import (
	"fmt"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"
)

// Ribbon is a curve with a band.
type Ribbon struct {
	X                  []float64 // increasing
	Mean, Lower, Upper []float64
}

func (r Ribbon) check(kind string) error {
	n := len(r.X)
	return first(
		nonempty(kind, "X", n),
		finite(kind, "X", r.X),
		increasing(kind, "X", r.X),
		column(kind, "Mean", r.Mean, n, false),
		column(kind, "Lower", r.Lower, n, false),
		column(kind, "Upper", r.Upper, n, false),
		ordered(kind, r.Lower, r.Upper),
	)
}

// Sample is a named list of numbers.
type Sample struct {
	Name   string
	Values []float64
	Of     int // how many rows there are, where these are some of them; 0 where they are all
}

// Witness1D shows one or two samples on the line and, below them, the posterior of the embedding
// (one sample) or of the witness function, the first sample's embedding less the second's (two).
// Band.X is the common x axis. In the Regions, band and zero line have the colour of the sample that
// has more there; without Regions nothing is coloured, whatever the band. A band that is far wider
// in the tails than among the data is cut off there, and the legend says so.
type Witness1D struct {
	Title     string
	Samples   []Sample // one or two
	XLabel    string   // default "x"
	YLabel    string   // of the lower panel; a default tells embedding from witness
	Band      Ribbon
	Level     float64   // of the band, such as 0.8; 0 if it is not to be said
	Empirical []float64 // at Band.X; optional
	Truth     []float64 // at Band.X; optional
	Points    []float64 // pseudo-inputs, marked on the x axis; optional
	Regions   []Region  // where the samples differ; optional
	Marks     []Mark    // labelled upright lines at X, such as where the difference is strongest
}

// Draw lays the figure out on a page of its own.
func (w Witness1D) Draw() (*Figure, error) { return single(w) }

func (w Witness1D) check() error {
	const kind = "Witness1D"
	if n := len(w.Samples); n < 1 || n > 2 {
		return fmt.Errorf("figure: %s: %d samples, want one or two", kind, n)
	}
	for _, s := range w.Samples {
		err := first(nonempty(kind, "sample "+strconv.Quote(s.Name), len(s.Values)),
			finite(kind, "sample "+strconv.Quote(s.Name), s.Values))
		if err != nil {
			return err
		}
	}
	n := len(w.Band.X)
	return first(
		w.Band.check(kind),
		column(kind, "Empirical", w.Empirical, n, true),
		column(kind, "Truth", w.Truth, n, true),
		finite(kind, "Points", w.Points),
		checkLevel(kind, w.Level),
		checkRegions(kind, w.Regions, len(w.Samples)),
		checkMarks(kind, w.Marks),
	)
}

// sampleName is the name of sample i: P, Q and so on if it was given none.
func sampleName(name string, i int) string {
	if name == "" {
		return string(rune('P' + i%10))
	}
	return name
}

func checkLevel(kind string, level float64) error {
	if !(level >= 0 && level < 1) {
		return fmt.Errorf("figure: %s: Level is %v, want 0 to 1", kind, level)
	}
	return nil
}

func (w Witness1D) plan() (*plan, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	w.Samples = slices.Clone(w.Samples)
	for i, s := range w.Samples {
		w.Samples[i].Name = sampleName(s.Name, i)
	}
	if w.XLabel == "" {
		w.XLabel = "x"
	}
	if w.YLabel == "" {
		w.YLabel = "mean embedding"
		if len(w.Samples) == 2 {
			w.YLabel = "witness"
		}
	}
	lo, hi := spread(w.Band.X[0], w.Band.X[len(w.Band.X)-1], 0)
	curves := make([][2][]float64, len(w.Samples))
	top, outside := 0.0, 0
	for i, s := range w.Samples {
		xs, ys := density(s.Values, lo, hi)
		curves[i] = [2][]float64{xs, ys}
		_, high := extent(ys)
		top = max(top, high)
		for _, v := range s.Values {
			if v < lo || v > hi {
				outside++
			}
		}
	}
	d := &witness{Witness1D: w, lo: lo, hi: hi, curves: curves, top: top, outside: outside,
		all: w.Band}
	d.cut()
	legend := func(width vg.Length) vg.Length { return room(width, d.sampleKeys(), d.bandKeys()) }
	return &plan{title: w.Title, w: pageWidth, h: 315, draw: d.draw, legend: legend}, nil
}

// witness is a checked Witness1D with its densities.
type witness struct {
	Witness1D
	lo, hi  float64
	curves  [][2][]float64
	top     float64
	outside int

	low, high float64 // of the lower panel
	isCut     bool
	all       Ribbon   // the band before it is cut off
	read      *readout // nil: not yet needed
}

// mostStretch is how much wider than among the middle 90% of the data a band may be in all, before
// it is cut off.
const mostStretch = 3

// cut sets the range of the lower panel and cuts the band off at its ends if need be.
func (w *witness) cut() {
	b := w.Band
	w.low, w.high = extent(b.Lower, b.Upper, w.Empirical, w.Truth, []float64{0})
	var values []float64
	for _, s := range w.Samples {
		values = append(values, s.Values...)
	}
	slices.Sort(values)
	from, to := quantile(values, 0.05), quantile(values, 0.95)
	inner := [2][]float64{}
	for i, x := range b.X {
		if x >= from && x <= to {
			inner[0], inner[1] = append(inner[0], b.Lower[i]), append(inner[1], b.Upper[i])
		}
	}
	if len(inner[0]) < 2 {
		return
	}
	low, high := extent(inner[0], inner[1], b.Mean, w.Empirical, w.Truth, []float64{0})
	margin := 0.35 * (high - low)
	low, high = low-margin, high+margin
	if !(w.high-w.low > mostStretch*(high-low)) {
		return
	}
	w.low, w.high, w.isCut = max(low, w.low), min(high, w.high), true
	clip := func(xs []float64) []float64 {
		out := make([]float64, len(xs))
		for i, x := range xs {
			out[i] = min(max(x, w.low), w.high)
		}
		return out
	}
	w.Band.Lower, w.Band.Upper = clip(b.Lower), clip(b.Upper)
}

// Sizes within the upper panel.
const (
	rugHeight = vg.Length(7)
	rugGap    = vg.Length(2)
)

// draw splits the rectangle: legend, densities, rugs, legend, witness.
func (w *witness) draw(s *scene, r vg.Rectangle) {
	width := r.Max.X - r.Min.X
	upperKeys, lowerKeys := w.sampleKeys(), w.bandKeys()
	rugs := (rugHeight+rugGap)*vg.Length(len(w.Samples)) + 2
	legends := s.legendHeight(upperKeys, width) + s.legendHeight(lowerKeys, width)
	if s.web != nil && w.read == nil {
		w.read = w.readout()
	}
	upper := &panel{s: s, bare: true, mute: true, ylabel: "density", zoom: "x", link: 1, foot: rugs,
		read: w.read}
	lower := &panel{s: s, xlabel: w.XLabel, ylabel: w.YLabel, zoom: "x", link: 1, read: w.read}
	upper.y = scale{min: 0, max: max(1.04*w.top, tiny)}
	low, high := spread(w.low, w.high, 0.05)

	// Heights first: ticks depend on them, and the left margin on the ticks.
	free := r.Max.Y - r.Min.Y - legends - rugs - lower.below() - tickSize*1.6
	lower.y = vertical(low, high, false, free*0.6)
	left := max(lower.leftOf(), upper.leftOf())
	lower.x = horizontal(w.lo, w.hi, false, width-left-8)
	upper.x = lower.x
	right := max(2, lower.rightOf(width-left-2))
	x0, x1 := r.Min.X+left, r.Max.X-right
	y := r.Max.Y
	s.legend(upperKeys, pt(r.Min.X+left, y), width-left)
	y -= s.legendHeight(upperKeys, width-left)
	free = r.Max.Y - r.Min.Y - s.legendHeight(upperKeys, width-left) -
		s.legendHeight(lowerKeys, width-left) - rugs - lower.below() - lower.above() - 6
	upper.r = rect(x0, y-0.4*free, x1, y)
	y -= 0.4*free + rugs + 6
	s.legend(lowerKeys, pt(r.Min.X+left, y), width-left)
	lower.r = rect(x0, r.Min.Y+lower.below(), x1, r.Min.Y+lower.below()+0.6*free)
	w.densities(upper)
	w.posterior(lower)
}

func (w *witness) sampleKeys() []key {
	var keys []key
	for i, s := range w.Samples {
		keys = append(keys, key{name: sampleKey(s.Name, len(s.Values), s.Of, len(s.Values)),
			area: alpha(hue(i), 0.2), pen: pen{color: hue(i), width: 1.4}})
	}
	if w.outside > 0 {
		keys = append(keys, key{name: fmt.Sprintf("(%d beyond the axis)", w.outside), none: true})
	}
	return keys
}

// densities draws the upper panel and the rugs under it.
func (w *witness) densities(p *panel) {
	p.axes()
	for i, c := range w.curves {
		p.under(c[0], c[1], 0, alpha(hue(i), 0.2))
	}
	for i, c := range w.curves {
		p.curve(c[0], c[1], pen{color: hue(i), width: 1.4})
	}
	top := p.r.Min.Y - rugGap
	for i, s := range w.Samples {
		p.rug(s.Values, top, rugHeight, alpha(hue(i), 0.75))
		top -= rugHeight + rugGap
	}
}

func (w *witness) bandKeys() []key {
	band := "band"
	if w.Level > 0 {
		band = percent(w.Level) + " band"
	}
	if w.isCut {
		band += ", cut off in the tails"
	}
	keys := []key{{name: "mean, " + band, area: shade, pen: meanPen}}
	if len(w.Samples) == 1 {
		keys[0].area = alpha(hue(0), bandAlpha)
	}
	for i, sample := range w.Samples {
		named := func(r Region) bool { return r.More == i }
		if slices.ContainsFunc(w.Regions, named) {
			keys = append(keys, key{name: "more of " + sample.Name,
				area: alpha(hue(i), bandAlpha), pen: pen{color: hue(i), width: 3}})
		}
	}
	if len(w.Empirical) > 0 {
		keys = append(keys, key{name: "empirical", pen: empiricalPen, wide: true})
	}
	if len(w.Truth) > 0 {
		keys = append(keys, key{name: "true", pen: truthPen, wide: true})
	}
	if len(w.Points) > 0 {
		keys = append(keys, key{name: "pseudo-inputs", tick: soft})
	}
	return keys
}

const bandAlpha = 0.32

var (
	meanPen      = pen{color: ink, width: 1.5}
	empiricalPen = pen{color: palette[2], width: 1.2, dash: dotted}
	truthPen     = pen{color: palette[3], width: 1.5, dash: dashed}
)

// posterior draws the lower panel.
func (w *witness) posterior(p *panel) {
	p.axes()
	p.level(0, pen{color: faint, width: 0.8})
	if len(w.Samples) == 2 {
		p.ribbon(w.Band, shade)
		p.regions(w.Band, w.Regions)
	} else {
		p.ribbon(w.Band, alpha(hue(0), bandAlpha))
	}
	if len(w.Empirical) > 0 {
		p.curve(w.Band.X, w.Empirical, empiricalPen)
	}
	if len(w.Truth) > 0 {
		p.curve(w.Band.X, w.Truth, truthPen)
	}
	p.rug(w.Points, p.r.Min.Y+5, 5, soft)
	p.notes(w.Marks)
	p.s.leave()
}

// notes draws upright lines with their labels at the top, beside the line where there is room.
func (p *panel) notes(marks []Mark) {
	var taken []vg.Rectangle
	for _, m := range marks {
		if u := p.x.unit(m.X); !(u >= 0 && u <= 1) {
			continue
		}
		p.upright(m.X, pen{color: soft, width: 1, dash: dotted})
		txt := fit(m.Label, noteFont, p.width()/2)
		at := pt(p.px(m.X)+4, p.r.Max.Y-0.9*tickSize)
		if at.X+noteFont.width(txt) > p.r.Max.X {
			at.X = p.px(m.X) - 4 - noteFont.width(txt)
		}
		for overlaps(textBox(at, txt), taken) {
			at.Y -= 1.2 * tickSize
		}
		taken = append(taken, textBox(at, txt))
		p.s.text(label{txt: txt, at: at, font: noteFont, color: ink})
	}
}

// readout has the witness and its band, and how many rows there are nearby.
func (w *witness) readout() *readout {
	at := every(len(w.Band.X), 240)
	band := percent(w.Level) + " band"
	if w.Level == 0 {
		band = "band"
	}
	r := &readout{X: w.XLabel, At: pick(w.Band.X, at), Rows: []reading{{Name: w.YLabel,
		Value: pick(w.Band.Mean, at), Lower: pick(w.all.Lower, at), Upper: pick(w.all.Upper, at),
		Band: band}}}
	if len(w.Truth) > 0 {
		r.Rows = append(r.Rows, reading{Name: "true", Value: pick(w.Truth, at)})
	}
	reach := (w.hi - w.lo) / 50
	for _, s := range w.Samples {
		sorted := slices.Clone(s.Values)
		slices.Sort(sorted)
		r.Rows = append(r.Rows, reading{Name: fmt.Sprintf("rows of %s within ±%s", s.Name,
			short(reach)), Value: near(sorted, r.At, reach)})
	}
	return r
}

// percent writes a proportion as a percentage.
func percent(p float64) string {
	return strconv.FormatFloat(100*p, 'g', 4, 64) + "%"
}
