package page

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"bayeskernel/internal/figure"
)

var saveTo = flag.String("save", "", "write the example pages to this directory")

// A page without a finding, or with a wrong figure or table, is an error.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		page Page
		want string
	}{
		{Page{}, "page: Title is empty, want the finding"},
		{Page{Title: "a", Figures: []Figure{{}}}, "page: figure 1 has nothing to draw"},
		{Page{Title: "a", Figures: []Figure{{Draw: figure.Null{}}}},
			"page: figure 1: figure: Null: Draws is empty"},
		{Page{Title: "a", Figures: []Figure{{Draw: learned().Figures[0].Draw, Folded: true}}},
			"page: figure 1 is folded and has no Heading to open it by"},
		{Page{Title: "a", Sure: Section{Tables: []Table{{Head: []string{"x"}, Rows: [][]string{{}}}}}},
			`page: table 1 of "What was found, and how sure it is": row 1 has 0 cells, want 1`},
	} {
		err := c.page.Write(new(strings.Builder))
		if err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}

type failing struct{}

var errFull = errors.New("no space left")

func (failing) Write([]byte) (int, error) { return 0, errFull }

func TestFailingWriter(t *testing.T) {
	if err := (&Page{Title: "a"}).Write(failing{}); !errors.Is(err, errFull) {
		t.Errorf("error %v, want %v", err, errFull)
	}
}

// A page is one small file, in the same order and with the same bytes each time.
func TestExamples(t *testing.T) {
	const most = 800_000
	outside := regexp.MustCompile(`(?:src|href|url)\s*[=(]\s*["']?(?:https?:)?//`)
	again := examplePages()
	for name, p := range examplePages() {
		var b, c bytes.Buffer
		if err := errors.Join(p.Write(&b), again[name].Write(&c)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !bytes.Equal(b.Bytes(), c.Bytes()) {
			t.Errorf("%s: two pages of the same numbers differ", name)
		}
		html := b.String()
		t.Logf("%-20s %4d kB", name, len(html)/1000)
		if len(html) > most {
			t.Errorf("%s: %d bytes, want at most %d", name, len(html), most)
		}
		if m := outside.FindString(html); m != "" {
			t.Errorf("%s: needs the network: %s", name, m)
		}
		if strings.Contains(html, "ZgotmplZ") {
			t.Errorf("%s: the template refused something", name)
		}
		at := -1
		for _, part := range []string{"<h1>", "<figure>", "<h2>What was found, and how sure it is", "<h2>The chains",
			"<h2>What it rests on", "<h2>To run this again", "<h2>Settings"} {
			k := strings.Index(html, part)
			if k < 0 && strings.Contains(part, "chains") && len(p.Chains.Text) == 0 {
				continue
			}
			if k <= at {
				t.Errorf("%s: %s is at %d, want after %d", name, part, k, at)
			}
			at = k
		}
		if *saveTo != "" {
			if err := os.WriteFile(filepath.Join(*saveTo, name+".html"), b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Text is escaped wherever it goes, and the numbers under the pointer are JSON.
func TestEscaping(t *testing.T) {
	p := oneColumn(0.6)
	const nasty = `<script>alert("1")</script>&'`
	p.Title, p.About, p.Settings[0].Value = nasty, nasty, nasty
	w := p.Figures[0].Draw.(figure.Witness1D)
	w.XLabel, w.Title = nasty, nasty
	w.Samples[0].Name = nasty
	p.Figures[0].Draw = w
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "<script>alert") || strings.Contains(b.String(), `alert("1")`) {
		t.Error("the page has text that was not escaped")
	}
	web, err := figure.ForWeb(w)
	if err != nil {
		t.Fatal(err)
	}
	var readouts []struct {
		X    string    `json:"x"`
		At   []float64 `json:"at"`
		Rows []struct {
			N       string    `json:"n"`
			V, L, U []float64 `json:"-"`
		} `json:"rows"`
	}
	if err := json.Unmarshal([]byte(web.Readout), &readouts); err != nil {
		t.Fatal(err)
	}
	if len(readouts) != 1 || readouts[0].X != nasty || len(readouts[0].At) != len(w.Band.X) {
		t.Errorf("readouts %+v", readouts)
	}
}

// BenchmarkWrite writes the page of the default command.
func BenchmarkWrite(b *testing.B) {
	for name, p := range map[string]*Page{"one-column": oneColumn(0.6), "two-columns": twoColumns(),
		"thirty-columns": thirtyColumns()} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := p.Write(io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
