package main

import (
	"os"
	"path/filepath"
	"testing"

	"bayeskernel/internal/browser"
	"bayeskernel/internal/long"
)

// No text of the page of any command lies on other text or is cut off, in narrow and wide windows,
// light and dark. BKESAMPLE_PAGES names a folder in which pictures of them are left.
func TestPagesOfCommands(t *testing.T) {
	b := browser.Open(t)
	keep := os.Getenv("BKESAMPLE_PAGES")
	for name, args := range map[string][]string{
		"example":      {"-iter", "100", "-chains", "2", "-sensitivity", "-verify"},
		"one":          {"-iter", "100", "-chains", "2", "p.csv"},
		"plane":        {"-iter", "100", "-chains", "2", "plane_p.csv", "plane_q.csv"},
		"space":        {"-iter", "100", "-chains", "2", "-ard", "space_p.csv", "space_q.csv"},
		"learn":        {"learn", "-kernel", "se,matern52", "p.csv", "q.csv"},
		"twosample":    {"twosample", "p.csv", "q.csv"},
		"independence": {"independence", "-x", "height", "-y", "weight", "plane_p.csv"},
		"novelty":      {"novelty", "plane_p.csv", "plane_q.csv"},
		"embed":        {"embed", "plane_p.csv", "plane_q.csv"},
		"bags":         {"bags", "-bag", "county", "-y", "vote", "-predict", "fresh.csv", "votes.csv"},
		"causal":       {"causal", "-test", "fisherz", "-stability", "20", "-adjust", "ozone->ill", "weather.csv"},
	} {
		if !long.Enabled() && (name == "plane" || name == "learn" || name == "twosample" || name == "novelty") {
			continue
		}
		inFolder(t, sound())
		if err := os.WriteFile("weather.csv", []byte(weather()["weather.csv"]), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"votes.csv", "fresh.csv"} {
			if err := os.WriteFile(file, []byte(counties()[file]), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got := call(t, "", args...); got.code != 0 {
			t.Fatalf("%s: exit %d: %s", name, got.code, got.stderr)
		}
		page, err := filepath.Abs(filepath.Join(folderOf(args), "report.html"))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range browser.Views() {
			if err := b.Show(page, v); err != nil {
				t.Fatal(err)
			}
			texts, faults, err := b.Faults()
			if err != nil || texts < 30 {
				t.Fatalf("%s at %v: %d texts, %v", name, v, texts, err)
			}
			for _, f := range faults {
				t.Errorf("%s at %v: %s", name, v, f)
			}
			if keep == "" {
				continue
			}
			if err := b.Save(filepath.Join(keep, name+"-"+v.String()+".png"), "Page.captureScreenshot",
				true); err != nil {
				t.Fatal(err)
			}
		}
	}
}
