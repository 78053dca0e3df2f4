package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// places are samples of two kinds, three of each, and all of them in one file with labels.
func places() map[string]string {
	r := rand.New(rand.NewPCG(6, 4))
	files := mistaken()
	var all strings.Builder
	all.WriteString("height,weight,place\n")
	for k := range 6 {
		var b strings.Builder
		b.WriteString("height,weight\n")
		for range 20 + 10*k {
			row := fmt.Sprintf("%.3f,%.3f", 170+10*r.NormFloat64()+float64(k/3*15), 70+5*r.NormFloat64())
			b.WriteString(row + "\n")
			fmt.Fprintf(&all, "%s,place %d\n", row, k+1)
		}
		files[fmt.Sprintf("place %d.csv", k+1)] = b.String()
	}
	files["places.csv"] = all.String()
	files["swapped.csv"] = "weight,height\n70,170\n71,172\n69,165\n"
	files["single.csv"] = "height,weight\n170,60\n"
	files["same1.csv"] = "a\n1\n1\n1\n"
	files["same2.csv"] = "a\n1\n1\n"
	return files
}

// What is printed and left; files and labels tell the same.
func TestEmbed(t *testing.T) {
	onGoldenMachine(t)
	for _, c := range []struct {
		name string
		args []string
	}{
		{"embed", []string{"-label", "place", "places.csv"}},
		{"embed_flexible", []string{"-shrink", "flexible", "-choose", "median", "place 1.csv", "place 2.csv",
			"place 5.csv"}},
		{"embed_two", []string{"-shrink", "none", "-columns", "height", "place 1.csv", "place 4.csv"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inFolder(t, places())
			got := call(t, "", append([]string{"embed", "-path", "portable"}, c.args...)...)
			if got.code != 0 || got.stderr != "" {
				t.Fatalf("exit %d: %s", got.code, got.stderr)
			}
			golden(t, c.name+".stdout", got.stdout)
			b, err := os.ReadFile("bkesample-out/embed/summary.json")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, c.name+".json", string(b))
			for _, file := range []string{"figure.png", "figure.svg", "report.html", "map.csv"} {
				if info, err := os.Stat(filepath.Join("bkesample-out/embed", file)); err != nil ||
					info.Size() == 0 {
					t.Errorf("%s: %v", file, err)
				}
			}
		})
	}
}

// distancesIn reads the matrix.
func distancesIn(t *testing.T, path string) [][]float64 {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out [][]float64
	for i, row := range list[1:] {
		if row[0] != list[0][i+1] {
			t.Errorf("row %d is %s, its column %s", i+1, row[0], list[0][i+1])
		}
		var vs []float64
		for _, text := range row[1:] {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			vs = append(vs, v)
		}
		out = append(out, vs)
	}
	return out
}

// The distance without shrinking is the root of the biased statistic that twosample prints for the
// same kernel, and the map keeps the distances of three samples.
func TestEmbedDistances(t *testing.T) {
	inFolder(t, places())
	if got := call(t, "", "embed", "-shrink", "none", "-theta", "8", "-standardize", "none", "place 1.csv",
		"place 2.csv", "place 5.csv"); got.code != 0 {
		t.Fatal(got.stderr)
	}
	d := distancesIn(t, "bkesample-out/embed/distances.csv")
	got := call(t, "", "twosample", "-theta", "8", "-standardize", "none", "-format", "json", "place 1.csv",
		"place 5.csv")
	var test struct{ Biased float64 }
	if err := json.Unmarshal([]byte(got.stdout), &test); err != nil {
		t.Fatal(err)
	}
	if want := math.Sqrt(test.Biased); math.Abs(d[0][2]-want) > 1e-5*want || d[0][2] != d[2][0] ||
		d[0][0] != 0 {
		t.Errorf("distances are %v, want %v", d, want)
	}
	var s struct {
		Samples []struct{ Map [2]float64 }
		Share   float64 `json:"share_shown"`
	}
	b, err := os.ReadFile("bkesample-out/embed/summary.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &s); err != nil {
		t.Fatal(err)
	}
	for i, a := range s.Samples {
		for j, c := range s.Samples {
			if got := math.Hypot(a.Map[0]-c.Map[0], a.Map[1]-c.Map[1]); math.Abs(got-d[i][j]) > 1e-5 {
				t.Errorf("%d and %d are %v apart in the map, want %v", i, j, got, d[i][j])
			}
		}
	}
	if s.Share != 1 {
		t.Errorf("the map shows %v, want all", s.Share)
	}
}

// Many rows take landmarks, whose distances are near those of the kernel: at this lengthscale they
// are 1e-6 of each other.
func TestEmbedLandmarks(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	files := map[string]string{}
	for k := range 3 {
		var b strings.Builder
		b.WriteString("a\n")
		for range 7000 {
			fmt.Fprintf(&b, "%.4f\n", r.NormFloat64()+0.2*float64(k))
		}
		files[fmt.Sprintf("s%d.csv", k)] = b.String()
	}
	inFolder(t, files)
	got := call(t, "", "embed", "-theta", "1", "s0.csv", "s1.csv", "s2.csv")
	if got.code != 0 || !strings.Contains(got.stdout, "landmarks") {
		t.Fatalf("%+v", got)
	}
	many := distancesIn(t, "bkesample-out/embed/distances.csv")
	if got = call(t, "", "embed", "-theta", "1", "-out", "two", "s0.csv", "s2.csv"); got.code != 0 ||
		strings.Contains(got.stdout, "landmarks") {
		t.Fatalf("%+v", got)
	}
	if two := distancesIn(t, "two/distances.csv"); math.Abs(two[0][1]-many[0][2]) > 1e-5*two[0][1] {
		t.Errorf("%v, want %v", many[0][2], two[0][1])
	}
}

// What is wrong is told in one line for each sample that is.
func TestEmbedWrong(t *testing.T) {
	var all strings.Builder
	for _, u := range []struct {
		args  []string
		code  int
		lines int
	}{
		{nil, 2, 1}, {[]string{"place 1.csv"}, 2, 1}, {[]string{"place 1.csv", "none.csv"}, 1, 1},
		{[]string{"place 1.csv", "empty.csv", "place 2.csv"}, 1, 1},
		{[]string{"place 1.csv", "header.csv", "empty.csv"}, 1, 2},
		{[]string{"place 1.csv", "p.csv", "place 2.csv"}, 1, 1},
		{[]string{"place 1.csv", "two.csv"}, 1, 1}, {[]string{"place 1.csv", "single.csv"}, 1, 1},
		{[]string{"same1.csv", "same2.csv"}, 1, 1}, {[]string{"-", "-"}, 2, 1},
		{[]string{"-label", "place", "places.csv", "place 1.csv"}, 2, 1},
		{[]string{"-label", "none", "places.csv"}, 1, 1}, {[]string{"-label", "h", "labels.csv"}, 1, 1},
		{[]string{"-label", "g=a,z", "-columns", "x", "labels.csv"}, 1, 1},
		{[]string{"-weights", "w", "place 1.csv", "place 2.csv"}, 2, 1},
		{[]string{"-shrink", "much", "place 1.csv", "place 2.csv"}, 2, 1},
		{[]string{"-theta", "0", "place 1.csv", "place 2.csv"}, 2, 1},
		{[]string{"-inputs", "900", "place 1.csv", "place 2.csv"}, 2, 1},
	} {
		inFolder(t, places())
		args := append([]string{"embed"}, u.args...)
		got := call(t, "", args...)
		if got.code != u.code || strings.Count(got.stderr, "\n") != u.lines || got.stdout != "" ||
			!strings.HasPrefix(got.stderr, "bkesample: ") {
			t.Errorf("%q: exit %d, want %d: %s%s", u.args, got.code, u.code, got.stderr, got.stdout)
		}
		fmt.Fprintf(&all, "bkesample %s\n  exit %d: %s\n", strings.Join(args, " "), got.code,
			strings.ReplaceAll(strings.TrimSpace(got.stderr), "bkesample: ", ""))
		if _, err := os.Stat("bkesample-out/embed/summary.json"); err == nil {
			t.Errorf("%q leaves results", u.args)
		}
	}
	golden(t, "wrong_embed.txt", all.String())
}
