package page

import (
	"bytes"
	_ "embed"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// boxes.js looks at the boxes of all pieces of text that are shown.
//
//go:embed testdata/boxes.js
var boxesJS string

// In narrow and in wide windows, light and dark, in fonts wider than those of the pictures, no text
// lies on other text, nothing is cut off, and text stands out from its background as WCAG 2.1 asks
// (AA: 4.5 to 1). With -save the pictures are there to be looked at.
func TestLayout(t *testing.T) {
	b := openBrowser(t)
	dir := t.TempDir()
	if *saveTo != "" {
		dir = *saveTo
	}
	pages := examplePages()
	pages["nasty"] = nastyPage()
	for name, p := range pages {
		var html bytes.Buffer
		if err := p.Write(&html); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name+".html")
		if err := os.WriteFile(path, html.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, v := range []viewport{{1280, 800, false, true}, {1280, 800, true, true},
			{390, 844, false, true}, {390, 844, true, true}, {820, 1000, false, true}} {
			if err := b.show(path, v); err != nil {
				t.Fatal(err)
			}
			var faults struct {
				Texts  int
				Faults []string
			}
			if err := b.evaluate(boxesJS, &faults); err != nil {
				t.Fatalf("%s at %v: %v", name, v, err)
			}
			if faults.Texts < 30 {
				t.Errorf("%s at %v: only %d texts found", name, v, faults.Texts)
			}
			for _, f := range faults.Faults {
				t.Errorf("%s at %v: %s", name, v, f)
			}
			if *saveTo != "" {
				if err := b.save(filepath.Join(dir, name+"-"+v.String()+".png"),
					"Page.captureScreenshot"); err != nil {
					t.Fatal(err)
				}
			}
		}
		if *saveTo != "" {
			if err := b.save(filepath.Join(dir, name+".pdf"), "Page.printToPDF"); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// The script shows numbers under the pointer, zooms and goes back.
func TestPointer(t *testing.T) {
	b := openBrowser(t)
	var html bytes.Buffer
	if err := oneColumn(0.6).Write(&html); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, html.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := b.show(path, viewport{1280, 800, false, true}); err != nil {
		t.Fatal(err)
	}
	mouse := func(kind string, x, y float64, down int) error {
		return b.call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": x, "y": y,
			"button": "left", "buttons": down, "clickCount": 1}, nil)
	}
	var at struct{ L, T, W, H float64 }
	if err := b.evaluate(`(() => { const r = document.querySelector("svg.wide").getBoundingClientRect();
		return {L: r.left, T: r.top, W: r.width, H: r.height} })()`, &at); err != nil {
		t.Fatal(err)
	}
	state := func() (s struct {
		Tip, Ticks string
		Zoomed     bool
		Plot       string
	}) {
		t.Helper()
		err := b.evaluate(`(() => { const s = document.querySelector("svg.wide"), tip = document.querySelector(".tip");
			return {Tip: tip.hidden ? "" : [...tip.children].map(e => e.textContent).join("; "),
			Zoomed: s.classList.contains("zoomed"),
			Ticks: [...s.querySelectorAll("text")].filter(e => e.getBoundingClientRect().width > 0).map(e => e.textContent).join(" "),
			Plot: s.querySelector(".plot").getAttribute("viewBox")} })()`, &s)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	before := state()
	x, y := at.L+0.5*at.W, at.T+0.75*at.H
	if err := mouse("mouseMoved", x, y, 0); err != nil {
		t.Fatal(err)
	}
	tip := state().Tip
	for _, want := range []string{"reaction time (z-score) ", "witness: ", "(95% band ", " to ",
		"rows of control within ±", "rows of treated within ±"} {
		if !strings.Contains(tip, want) {
			t.Errorf("under the pointer: %q, want %q in it", tip, want)
		}
	}
	if *saveTo != "" {
		if err := b.save(filepath.Join(*saveTo, "hover.png"), "Page.captureScreenshot"); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(mouse("mousePressed", x, y, 1), mouse("mouseMoved", x+60, y, 1),
		mouse("mouseMoved", x+160, y, 1), mouse("mouseReleased", x+160, y, 0)); err != nil {
		t.Fatal(err)
	}
	zoomed := state()
	if !zoomed.Zoomed || zoomed.Plot == before.Plot || zoomed.Ticks == before.Ticks {
		t.Errorf("after dragging: %+v, before: %+v", zoomed, before)
	}
	if *saveTo != "" {
		if err := b.save(filepath.Join(*saveTo, "zoomed.png"), "Page.captureScreenshot"); err != nil {
			t.Fatal(err)
		}
	}
	var faults struct{ Faults []string }
	if err := b.evaluate(boxesJS, &faults); err != nil || len(faults.Faults) > 0 {
		t.Errorf("zoomed: %v %q", err, faults.Faults)
	}
	var clicked bool
	if err := b.evaluate(`(() => { document.querySelector(".hint button").click(); return true })()`,
		&clicked); err != nil {
		t.Fatal(err)
	}
	after := state()
	if after.Zoomed || after.Plot != before.Plot || after.Ticks != before.Ticks {
		t.Errorf("after going back: %+v, before: %+v", after, before)
	}
}
