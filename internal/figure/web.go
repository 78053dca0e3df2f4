package figure

// Web is a figure for an HTML page, which lays out the legend itself.
type Web struct {
	Label        string  // what the picture is, for those who do not see it
	Wide, Narrow string  // SVG elements for wide windows and for narrow ones, without title and legend
	Legend       []Entry // in order
	Readout      string  // JSON: the numbers to be shown under the pointer
}

// Entry is a name in a legend with a sample of how it is drawn, an SVG element.
type Entry struct{ Name, Sample string }

// ForWeb checks a figure's numbers and draws it for an HTML page.
func ForWeb(d Drawer) (*Web, error) {
	fig, err := d.Draw()
	if err != nil {
		return nil, err
	}
	svg, err := fig.InlineSVG()
	if err != nil {
		return nil, err
	}
	return &Web{Label: fig.s.title, Wide: svg, Narrow: svg}, nil
}
