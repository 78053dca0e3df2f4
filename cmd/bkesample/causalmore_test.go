package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// With many columns -hidden takes RFCI, and says so.
func TestCausalHiddenMany(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	var b strings.Builder
	for i := range 101 {
		for j := range 41 {
			if j > 0 {
				b.WriteByte(',')
			}
			if i == 0 {
				fmt.Fprintf(&b, "v%d", j)
			} else {
				fmt.Fprintf(&b, "%.3f", r.NormFloat64())
			}
		}
		b.WriteByte('\n')
	}
	inFolder(t, map[string]string{"many.csv": b.String()})
	if _, p := graphOf(t, "-hidden", "-test", "fisherz", "-stability", "0", "many.csv"); p.Algorithm != "RFCI" {
		t.Errorf("algorithm %q, want RFCI", p.Algorithm)
	}
}

// Of wind and sun, whose common cause is not in the table, neither is a cause of the other: with
// -hidden two arrows say so, in words and in every format, where a plain search claims nothing wrong
// either but cannot say it.
func TestCausalHidden(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	var b strings.Builder
	b.WriteString("a,b,c,d\n")
	for range 2000 {
		unseen := r.NormFloat64()
		a, d := r.NormFloat64(), r.NormFloat64()
		fmt.Fprintf(&b, "%.4f,%.4f,%.4f,%.4f\n", a, a+unseen+0.5*r.NormFloat64(), d+unseen+0.5*r.NormFloat64(), d)
	}
	inFolder(t, map[string]string{"unseen.csv": b.String()})
	got, p := graphOf(t, "-hidden", "-test", "fisherz", "-stability", "20", "-alpha", "0.01", "unseen.csv")
	if got != "a o-> b, b <-> c, d o-> c" || p.Algorithm != "FCI" || len(p.Conflicts) != 0 {
		t.Errorf("%s, %+v", got, p)
	}
	text := call(t, "", "causal", "-force", "-hidden", "-test", "fisherz", "-stability", "20", "-alpha", "0.01",
		"unseen.csv")
	for _, want := range []string{"something unseen causes both b and c", "a or something unseen causes b",
		"Something unseen may affect"} {
		if !strings.Contains(strings.Join(strings.Fields(text.stdout), " "), want) {
			t.Errorf("no %q in\n%s", want, text.stdout)
		}
	}
	for name, want := range map[string]string{"graph.dagitty": "pag{", "graph.dot": "arrowtail=odot",
		"edges.csv": "b,c,bidirected", "graph.graphml": ">circle<", "stability.csv": "partial"} {
		file, err := os.ReadFile("bkesample-out/causal/" + name)
		if err != nil || !strings.Contains(string(file), want) {
			t.Errorf("%s: no %q, %v", name, want, err)
		}
	}
	if plain, _ := graphOf(t, "-colliders", "sets", "-test", "fisherz", "-stability", "0", "-alpha", "0.01",
		"unseen.csv"); plain != "a -> b, b <-> c, d -> c" {
		t.Errorf("%s", plain)
	}
}

// Effects of all pairs, a direction from noise that is not normal, and a question about a month.
func TestCausalEffects(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 4))
	var b, skewed strings.Builder
	b.WriteString("month,temp,wind\n")
	skewed.WriteString("cause,effect\n")
	for range 400 {
		temp, wind := r.NormFloat64(), r.NormFloat64()
		fmt.Fprintf(&b, "%.4f,%.4f,%.4f\n", temp+wind+r.NormFloat64(), temp, wind)
		x := r.ExpFloat64()
		fmt.Fprintf(&skewed, "%.4f,%.4f\n", x, 2*x+r.ExpFloat64())
	}
	inFolder(t, map[string]string{"month.csv": b.String(), "skewed.csv": skewed.String()})
	got := call(t, "", "causal", "-test", "fisherz", "-effects", "all", "month.csv")
	text := strings.Join(strings.Fields(got.stdout), " ")
	if got.code != 0 || !strings.Contains(text, "Can anything here have an effect on month?") ||
		!strings.Contains(text, "100 random halves") {
		t.Errorf("exit %d: %s%s", got.code, got.stdout, got.stderr)
	}
	var v struct {
		Effects []struct {
			X, Y      string
			Low, High float64
			Adjusted  *struct{ Effect, Low, High float64 }
		}
	}
	file, err := os.ReadFile("bkesample-out/causal/summary.json")
	if err == nil {
		err = json.Unmarshal(file, &v)
	}
	if err != nil || len(v.Effects) != 6 {
		t.Fatalf("%d effects, %v", len(v.Effects), err)
	}
	for _, e := range v.Effects {
		if e.X == "temp" && e.Y == "month" && (e.Adjusted == nil || e.Adjusted.Low > 1 || e.Adjusted.High < 1) ||
			e.X == "month" && (e.Low != 0 || e.High != 0) {
			t.Errorf("%+v", e)
		}
	}
	if got, p := graphOf(t, "-lingam", "-stability", "10", "skewed.csv"); got != "cause -> effect" ||
		p.Algorithm != "DirectLiNGAM" {
		t.Errorf("%s, %+v", got, p)
	}
}
