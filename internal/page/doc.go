// Package page writes a report: one HTML file that says first what was found, then how. A program
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
// The order is fixed: the finding, the alerts, the figures, where and how sure, the chains, what the
// finding rests on, how to reproduce it, the settings. A part that was not filled in is left out
// with its heading.
//
// The file needs no other file and no network. It follows the light or dark scheme of the browser,
// has a layout for narrow windows, and prints. Each figure is drawn twice, for wide and for narrow
// windows, and the style sheet shows one of the two. Legends are HTML, so the browser breaks their
// lines. All text in the pictures carries its length, so it keeps its place in any font. A script
// shows the numbers under the pointer and zooms. Without scripts only that is missing.
package page
