// Package figure draws the pictures of the programs: densities with a witness function below them,
// heat maps, traces of a sampler, profiles of a likelihood, null distributions, power curves,
// graphs. It knows nothing of models. It is given numbers, checks them and places them on a page.
//
// Each kind of figure is a struct to be filled in, whose Draw method gives a [Figure], which is
// written as PNG or as SVG. [Panels] sets several kinds in a grid. [ForWeb] draws a figure for an
// HTML page instead, for wide windows and for narrow ones, in the page's colours. It has the
// numbers that the page shows under the pointer, and the legend apart, so that the page lays it
// out.
//
//	fig, err := figure.Witness1D{
//		Title:   "normal against Laplace",
//		Samples: []figure.Sample{{"P", p}, {"Q", q}},
//		Band:    figure.Ribbon{X: grid, Mean: mean, Lower: lower, Upper: upper},
//		Level:   0.8,
//	}.Draw()
//	...
//	err = fig.WritePNG(w)
//
// # What all figures have in common
//
// No figure decides where two samples differ. The caller says so, by Regions of a line or Sides of
// a plane; they alone are coloured, and without them nothing is. [Excluded] and [Sides] find where
// a band excludes zero, for callers to whom that is the answer.
//
// The first sample is blue and the second vermilion, from the palette of Okabe and Ito (Color
// universal design, 2008), which people with any kind of colour vision can tell apart. Other things
// differ in dashes or shape too. A heat map runs from the second sample's colour through near-white
// at zero to the first's. Legends stand above a panel, never on the data. Ticks are at round
// numbers; very large, very small and nearly equal numbers get a common factor or offset, which is
// written at the end of the axis. A logarithmic axis has its ticks at 1, or at 1, 2 and 5, times
// powers of ten. Text that does not fit is broken or loses its middle. In an SVG each text carries
// its length, so that it keeps its place in any font. Letters that the fonts lack, which have
// Latin, Greek and Cyrillic ones, are boxes in a PNG; an SVG has them as text.
//
// Many points cost little: of a rug the lines that the eye can part are drawn, of a cloud 1500
// points, of a long line the extremes in each column of pixels. Densities are estimated from
// binned values.
//
// The same numbers give the same bytes: fonts are those that come with gonum/plot, nothing depends
// on the machine, the time or the order of a map. Lists of the wrong length, numbers that are not
// finite and bands upside down are errors.
package figure
