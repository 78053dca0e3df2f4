package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bayeskernel/draws/cmdstan"
)

// Draws that stand for a run are draws of it, nearer to all than draws at equal distances; of a fit as well.
func TestThin(t *testing.T) {
	after(t)
	for _, c := range []struct{ run, file string }{{"pooled", "draws"}, {"both", "program"}} {
		var got struct {
			By      string
			Draws   int
			Chosen  []struct{ Chain, Draw int }
			Near    float64 `json:"energy_distance"`
			Spaced  float64 `json:"energy_distance_spaced"`
			Suspect bool
			Found   string
		}
		decoded(t, &got, "thin", "-m", "20", "-format", "json", "-force", "-out", "few", c.run)
		if got.By != "support" || got.Draws != 800 || len(got.Chosen) != 20 || got.Suspect || !(got.Near < got.Spaced) ||
			!strings.Contains(got.Found, "no chain has visited") {
			t.Errorf("%s: %+v", c.run, got)
		}
		few, err := cmdstan.Read(filepath.Join("few", "thinned_1.csv"))
		if err != nil {
			t.Fatal(err)
		}
		for k, d := range got.Chosen {
			all, err := cmdstan.Read(filepath.Join(c.run, c.file+"_"+string(rune('0'+d.Chain))+".csv"))
			if err != nil {
				t.Fatal(err)
			}
			if want := all.Chains[0].Values[d.Draw-1]; math.Abs(few.Chains[0].Values[k][0]-want[0]) > 0 {
				t.Errorf("%s: draw %d begins with %v, want %v", c.run, k, few.Chains[0].Values[k][0], want[0])
			}
		}
	}
	for _, by := range []string{"weights", "stein", "stein-regularised"} {
		if code, out, errs := run("thin", "-m", "5", "-by", by, "-force", "-out", "few", "pooled"); code != 0 || !strings.Contains(out, "("+by+")") {
			t.Errorf("%s: exit %d, %s%s", by, code, out, errs)
		}
	}
	if err := os.Mkdir("none", 0o777); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{"-m 0 pooled": "-m is 0, want at least 1", "-m 801 pooled": "want at most 800",
		"none": "does not say which program", "gone": "gone: no such folder: want the folder of a run of nuts", "-by any pooled": "-by"} {
		if code, _, errs := run(append([]string{"thin"}, strings.Fields(args)...)...); code == 0 || !strings.Contains(errs, want) {
			t.Errorf("thin %s: exit %d, %s", args, code, errs)
		}
	}
}
