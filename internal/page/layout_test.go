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

// In narrow and in wide windows, light and dark, without script, in print, in fonts wider than those
// of the pictures, no text lies on other text, nothing is cut off, and text stands out from its
// background as WCAG 2.1 asks (AA: 4.5 to 1). With -save the pictures are there to be looked at.
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
		for _, v := range []viewport{{width: 1280, height: 800}, {width: 1280, height: 800, dark: true},
			{width: 390, height: 844}, {width: 390, height: 844, dark: true},
			{width: 820, height: 1000}, {width: 390, height: 844, bare: true},
			{width: 680, height: 960, print: true}, {width: 680, height: 960, print: true, dark: true}} {
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
					"Page.captureScreenshot", true); err != nil {
					t.Fatal(err)
				}
			}
		}
		if *saveTo != "" {
			if err := b.save(filepath.Join(dir, name+".pdf"), "Page.printToPDF", false); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// The check of the layout finds what it is there to find.
func TestLayoutFinds(t *testing.T) {
	b := openBrowser(t)
	path := filepath.Join(t.TempDir(), "faults.html")
	for _, c := range []struct{ html, want string }{
		{`<p>first words</p><p style="margin-top:-2.2em">second words</p>`, `overlaps "first words"`},
		{`<p style="margin-left:385px;white-space:nowrap">out of the window</p>`, "is cut off"},
		{`<svg viewBox="0 0 100 40"><text x="70" y="20">out of the picture</text></svg>`, "is cut off"},
		{`<svg viewBox="0 0 100 40"><text x="0" y="20" font-size="9">one</text>
			<text x="9" y="20" font-size="9">two</text></svg>`, "overlaps"},
		{`<p style="color:#999">faint words</p>`, "has a contrast of 2.85"},
		{`<div style="width:500px">wide</div>`, "the page is 508 wide in a window of 390"},
		{`<p>nothing is wrong</p><svg viewBox="0 0 100 40"><text x="9" y="20">here</text></svg>`, ""},
	} {
		if err := os.WriteFile(path, []byte(`<meta charset="utf-8">`+c.html), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := b.show(path, viewport{width: 390, height: 844}); err != nil {
			t.Fatal(err)
		}
		var got struct{ Faults []string }
		if err := b.evaluate(boxesJS, &got); err != nil {
			t.Fatal(err)
		}
		if all := strings.Join(got.Faults, "; "); !strings.Contains(all, c.want) ||
			c.want == "" && all != "" {
			t.Errorf("%s: found %q, want %q", c.html, all, c.want)
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
	if err := b.show(path, viewport{width: 1280, height: 800}); err != nil {
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
		err := b.evaluate(`(() => {
			const s = document.querySelector("svg.wide"), tip = document.querySelector(".tip");
			const text = list => [...list].map(e => e.textContent);
			return {Tip: tip.hidden ? "" : text(tip.children).join("; "),
			Zoomed: s.classList.contains("zoomed"),
			Ticks: text([...s.querySelectorAll("text")].filter(e => e.getBoundingClientRect().width)).join(" "),
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
		if err := b.save(filepath.Join(*saveTo, "hover.png"), "Page.captureScreenshot", false); err != nil {
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
		if err := b.save(filepath.Join(*saveTo, "zoomed.png"), "Page.captureScreenshot", false); err != nil {
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
