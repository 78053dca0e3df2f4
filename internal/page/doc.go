// Package page writes a report: one HTML file that says what was found before it says how. A program
// fills in a [Page] and calls its Write method.
//
//	p := page.Page{
//		Title:   "a and b differ, p = 0.001: more of a between 1 and 2",
//		Figures: []page.Figure{{Draw: witness, Caption: "Above: the samples. Below: …"}},
//		Sure:    page.Section{Text: []string{"…"}},
//		…
//	}
//	err := p.Write(w)
//
// The order is fixed: the finding, what must be known before it is believed, the figures, where and
// how sure, the chains, what the finding rests on, how to make it again, the settings. A part that
// was not filled in is left out, heading and all.
//
// The file needs no other and no network. It takes on the light or dark scheme of the browser, has a
// layout for narrow windows, and prints. Each figure is drawn twice, for wide windows and for narrow
// ones, and the style sheet shows one of them; legends are HTML, so that the browser breaks their
// lines, and all text in the pictures carries its length, so that it keeps its place in any font. A
// script shows the numbers under the pointer and zooms. Without it nothing is missing but that.
package page
