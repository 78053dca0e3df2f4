package page

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bayeskernel/internal/browser"
	"bayeskernel/internal/long"
)

// In narrow and in wide windows, light and dark, without script, in print, in fonts wider than those
// of the pictures, no text lies on other text, nothing is cut off, and text stands out from its
// background as WCAG 2.1 asks (AA: 4.5 to 1). Some of the windows are for long runs alone. With -save the pictures are kept for a look.
func TestLayout(t *testing.T) {
	b := browser.Open(t)
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
		views := append(browser.Views(), browser.View{Width: 680, Height: 960, Print: true, Dark: true})
		if long.Enabled() {
			views = append(views, browser.View{Width: 820, Height: 1000}, browser.View{Width: 390, Height: 844, Bare: true},
				browser.View{Width: 680, Height: 960, Print: true})
		}
		for _, v := range views {
			if err := b.Show(path, v); err != nil {
				t.Fatal(err)
			}
			texts, faults, err := b.Faults()
			if err != nil {
				t.Fatalf("%s at %v: %v", name, v, err)
			}
			if texts < 30 {
				t.Errorf("%s at %v: only %d texts found", name, v, texts)
			}
			for _, f := range faults {
				t.Errorf("%s at %v: %s", name, v, f)
			}
			if *saveTo != "" {
				if err := b.Save(filepath.Join(dir, name+"-"+v.String()+".png"),
					"Page.captureScreenshot", true); err != nil {
					t.Fatal(err)
				}
			}
		}
		if *saveTo != "" {
			if err := b.Save(filepath.Join(dir, name+".pdf"), "Page.printToPDF", false); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// The layout check finds the faults it looks for.
func TestLayoutFinds(t *testing.T) {
	b := browser.Open(t)
	path := filepath.Join(t.TempDir(), "faults.html")
	for _, c := range []struct{ html, want string }{
		{`<p>first words</p><p style="margin-top:-2.2em">second words</p>`, `overlaps "first words"`},
		{`<p style="margin-left:385px;white-space:nowrap">out of the window</p>`, "is cut off"},
		{`<svg viewBox="0 0 100 40"><text x="70" y="20">out of the picture</text></svg>`, "is cut off"},
		{`<svg viewBox="0 0 100 40"><text x="0" y="20" font-size="9">one</text>
			<text x="9" y="20" font-size="9">two</text></svg>`, "overlaps"},
		{`<p style="color:#999">faint words</p>`, "has a contrast of 2.85"},
		{`<div style="width:500px">wide</div>`, "the page is 508 wide in a window of 390"},
		{`<meta http-equiv="Content-Security-Policy" content="default-src 'none'"><p style="color:red">red</p>`,
			"style-src-attr inline is blocked"},
		{`<p>nothing is wrong</p><svg viewBox="0 0 100 40"><text x="9" y="20">here</text></svg>`, ""},
	} {
		if err := os.WriteFile(path, []byte(`<meta charset="utf-8">`+c.html), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := b.Show(path, browser.View{Width: 390, Height: 844}); err != nil {
			t.Fatal(err)
		}
		_, faults, err := b.Faults()
		if err != nil {
			t.Fatal(err)
		}
		if all := strings.Join(faults, "; "); !strings.Contains(all, c.want) ||
			c.want == "" && all != "" {
			t.Errorf("%s: found %q, want %q", c.html, all, c.want)
		}
	}
}

// The page's own style sheet and script are what its policy lets through; a script that got into the text by
// some mistake, and anything from elsewhere, is not run or loaded.
func TestPolicy(t *testing.T) {
	b := browser.Open(t)
	var html bytes.Buffer
	if err := oneColumn(0.6).Write(&html); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "page.html")
	bad := strings.Replace(html.String(), "</main>", `<script>document.title = "run"</script>
		<p onclick="1">a</p><img src="other.png" onerror="document.title = 'run'" alt="">
		<script src="other.js"></script></main>`, 1)
	if err := os.WriteFile(path, []byte(bad), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := b.Show(path, browser.View{Width: 1280, Height: 800}); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Title, Width string
		Blocked      []string
		Tip          bool
	}
	if err := b.Evaluate(`({Title: document.title, Blocked: blockedByPolicy.map(b => b.split(" ")[0]),
		Width: getComputedStyle(document.querySelector("main")).maxWidth, Tip: !!document.querySelector(".tip")})`,
		&got); err != nil {
		t.Fatal(err)
	}
	if got.Title == "run" || got.Width == "none" || !got.Tip {
		t.Errorf("title %q, width %s, the page's own script run: %v", got.Title, got.Width, got.Tip)
	}
	for _, want := range []string{"script-src-elem", "script-src-attr", "img-src"} {
		if !slices.Contains(got.Blocked, want) {
			t.Errorf("%s is not blocked, only %v", want, got.Blocked)
		}
	}
}

// pointer is a page in a browser with its mouse on the first picture.
type pointer struct {
	*browser.Browser
	t          *testing.T
	l, t0      float64 // of the picture, in the window
	w, h       float64
	screenshot string
}

// point opens a page in a window.
func point(t *testing.T, b *browser.Browser, name string, p *Page, v browser.View) *pointer {
	t.Helper()
	var html bytes.Buffer
	if err := p.Write(&html); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, html.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := b.Show(path, v); err != nil {
		t.Fatal(err)
	}
	var r [4]float64
	if err := b.Evaluate(`(() => {
		const r = document.querySelector("svg.wide").getBoundingClientRect();
		return [r.left, r.top, r.width, r.height]
	})()`, &r); err != nil {
		t.Fatal(err)
	}
	return &pointer{Browser: b, t: t, l: r[0], t0: r[1], w: r[2], h: r[3], screenshot: name}
}

// mouse does something at a fraction of the picture's width and height.
func (p *pointer) mouse(kind string, x, y float64, buttons int) {
	p.t.Helper()
	err := p.Call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": p.l + x*p.w,
		"y": p.t0 + y*p.h, "button": "left", "buttons": buttons, "clickCount": 1}, nil)
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *pointer) drag(x0, y0, x1, y1 float64) {
	p.t.Helper()
	p.mouse("mouseMoved", x0, y0, 0)
	p.mouse("mousePressed", x0, y0, 1)
	p.mouse("mouseMoved", (x0+x1)/2, (y0+y1)/2, 1)
	p.mouse("mouseMoved", x1, y1, 1)
	p.mouse("mouseReleased", x1, y1, 0)
}

// look saves the window, if pictures are wanted.
func (p *pointer) look(name string) {
	p.t.Helper()
	if *saveTo == "" {
		return
	}
	path := filepath.Join(*saveTo, p.screenshot+"-"+name+".png")
	if err := p.Save(path, "Page.captureScreenshot", false); err != nil {
		p.t.Fatal(err)
	}
}

// state is what the script has done.
type state struct {
	Tip, Ticks, Plot string
	Zoomed           bool
}

func (p *pointer) state() (s state) {
	p.t.Helper()
	err := p.Evaluate(`(() => {
		const s = document.querySelector("svg.wide"), tip = document.querySelector(".tip");
		const text = list => [...list].map(e => e.textContent);
		const seen = [...s.querySelectorAll("text")].filter(e => e.getBoundingClientRect().width);
		return {Tip: tip.hidden ? "" : text(tip.children).join("; "), Ticks: text(seen).join(" "),
			Plot: s.querySelector(".plot")?.getAttribute("viewBox") || "",
			Zoomed: s.classList.contains("zoomed")}
	})()`, &s)
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

func (p *pointer) wants(words ...string) {
	p.t.Helper()
	tip := p.state().Tip
	for _, want := range words {
		if !strings.Contains(tip, want) {
			p.t.Errorf("%s: under the pointer is %q, want %q in it", p.screenshot, tip, want)
		}
	}
}

// zooms drags, looks at the layout, and goes back.
func (p *pointer) zooms(x0, y0, x1, y1 float64) {
	p.t.Helper()
	before := p.state()
	p.drag(x0, y0, x1, y1)
	zoomed := p.state()
	if !zoomed.Zoomed || zoomed.Plot == before.Plot || zoomed.Ticks == before.Ticks {
		p.t.Errorf("%s: after dragging: %+v, before: %+v", p.screenshot, zoomed, before)
	}
	p.look("zoomed")
	if _, faults, err := p.Faults(); err != nil || len(faults) > 0 {
		p.t.Errorf("%s: zoomed: %v %q", p.screenshot, err, faults)
	}
	var clicked bool
	if err := p.Evaluate(`(() => { document.querySelector(".hint button").click(); return true })()`,
		&clicked); err != nil {
		p.t.Fatal(err)
	}
	after := p.state()
	if after.Zoomed || after.Plot != before.Plot || after.Ticks != before.Ticks {
		p.t.Errorf("%s: after going back: %+v, before: %+v", p.screenshot, after, before)
	}
}

// The script shows numbers under the pointer, zooms and goes back.
func TestPointer(t *testing.T) {
	b := browser.Open(t)
	v := browser.View{Width: 1280, Height: 900}
	line := point(t, b, "line", oneColumn(0.6), v)
	line.mouse("mouseMoved", 0.5, 0.75, 0)
	line.wants("reaction time (z-score) ", "witness: ", "(95% band ", " to ",
		"rows of control within ±", "rows of treated within ±")
	line.look("hover")
	line.zooms(0.3, 0.75, 0.6, 0.75)

	plane := point(t, b, "plane", twoColumns(), v)
	plane.mouse("mouseMoved", 0.7, 0.3, 0)
	plane.wants("temperature (°C, standardised) ", "wind (m/s, standardised) ", "witness: ",
		"2019 within ±", "2020 within ±")
	plane.look("hover")
	plane.zooms(0.3, 0.2, 0.34, 0.25)

	v.Dark = true
	pairs := point(t, b, "pairs", thirtyColumns(), v)
	pairs.mouse("mouseMoved", 0.2, 0.3, 0)
	pairs.wants("gene_01 ", "gene_02 ", "witness: ", "healthy within ±")
	pairs.look("hover")
	pairs.zooms(0.15, 0.15, 0.2, 0.3)

	columns := thirtyColumns()
	columns.Figures = columns.Figures[1:]
	forest := point(t, b, "forest", columns, v)
	forest.mouse("mouseMoved", 0.6, 0.06, 0)
	forest.wants("gene_01", "p corrected: 0.003", "p of the column alone: 0.0001")
	forest.look("hover")

	mode := point(t, b, "mode", learned(), v)
	mode.mouse("mouseMoved", 0.5, 0.5, 0)
	mode.wants("lengthscale theta (kg) ", "log pseudolikelihood: 51")
	mode.zooms(0.4, 0.5, 0.7, 0.5)
}
