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
		{"embed_two", []string{"-standardize", "none", "-columns", "height", "place 1.csv", "place 4.csv"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inFolder(t, places())
			got := call(t, "", append([]string{"embed"}, c.args...)...)
			if got.code != 0 || got.stderr != "" {
				t.Fatalf("exit %d: %s", got.code, got.stderr)
			}
			golden(t, c.name+".stdout", got.stdout)
			b, err := os.ReadFile("bkesample-out/embed/summary.json")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, c.name+".json", string(b))
			for _, file := range []string{"figure.png", "figure_map.svg", "report.html", "map.csv", "pairs.csv"} {
				if file == "figure_map.svg" && c.name == "embed_two" { // two points need no map
					continue
				}
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

// Chickens by feed: casein and sunflower are closest, horsebean and sunflower farthest. What the folder
// and the terminal say is the same.
func TestEmbedDistances(t *testing.T) {
	text, err := os.ReadFile("../../examples/distances/testdata/chickwts.csv")
	if err != nil {
		t.Fatal(err)
	}
	inFolder(t, map[string]string{"chickwts.csv": string(text)})
	got := call(t, "", "embed", "-label", "group", "-format", "json", "chickwts.csv")
	if got.code != 0 {
		t.Fatal(got.stderr)
	}
	var s struct {
		Samples []struct {
			Name    string
			Rows    int
			Nearest []string
		}
		Distances, Lower, Upper [][]float64
		Pairs                   []struct {
			A, B                            string
			Distance, Lower, Upper, Squared float64
			First                           int `json:"first_place"`
			Last                            int `json:"last_place"`
		}
	}
	if err := json.Unmarshal([]byte(got.stdout), &s); err != nil {
		t.Fatal(err)
	}
	if p := s.Pairs[0]; p.A != "casein" || p.B != "sunflower" || p.First != 1 || p.Lower != 0 {
		t.Errorf("the closest pair is %+v", p)
	}
	last := s.Pairs[len(s.Pairs)-1]
	if last.A != "horsebean" || last.B != "sunflower" || last.Last != 15 {
		t.Errorf("the farthest pair is %+v", last)
	}
	d := distancesIn(t, "bkesample-out/embed/distances.csv")
	for i := range d {
		for j, v := range d[i] {
			if v != s.Distances[i][j] || v != d[j][i] || i == j && v != 0 || v > s.Upper[i][j]+1e-6 {
				t.Errorf("%d and %d: %v, %v, at most %v", i, j, v, s.Distances[i][j], s.Upper[i][j])
			}
		}
	}
}

// Iris by species: setosa is far from both, and nearest to versicolor.
func TestEmbedIris(t *testing.T) {
	text, err := os.ReadFile("../../examples/distances/testdata/iris.csv")
	if err != nil {
		t.Fatal(err)
	}
	inFolder(t, map[string]string{"iris.csv": string(text)})
	got := call(t, "", "embed", "-label", "group", "iris.csv")
	words := strings.Join(strings.Fields(got.stdout), " ")
	if want := "setosa is far from all others, nearest to versicolor. The closest pair is versicolor and " +
		"virginica"; got.code != 0 || !strings.Contains(words, want) {
		t.Errorf("%+v, want %q", got, want)
	}
}

// The map keeps the distances of two samples.
func TestEmbedMap(t *testing.T) {
	inFolder(t, places())
	if got := call(t, "", "embed", "place 1.csv", "place 5.csv"); got.code != 0 {
		t.Fatal(got.stderr)
	}
	d := distancesIn(t, "bkesample-out/embed/distances.csv")
	var s struct {
		Samples []struct{ Map [2]float64 }
		Share   float64 `json:"share_shown"`
	}
	b, err := os.ReadFile("bkesample-out/embed/summary.json")
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	if err != nil {
		t.Fatal(err)
	}
	a, c := s.Samples[0].Map, s.Samples[1].Map
	if got := math.Hypot(a[0]-c[0], a[1]-c[1]); math.Abs(got-d[0][1]) > 1e-5 || s.Share != 1 {
		t.Errorf("%v apart in the map, which shows %v, want %v", got, s.Share, d[0][1])
	}
}

// Of many rows a part is used, and the output says so.
func TestEmbedManyRows(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	files := map[string]string{}
	for k := range 3 {
		var b strings.Builder
		b.WriteString("a\n")
		for range 4000 {
			fmt.Fprintf(&b, "%.4f\n", r.NormFloat64()+float64(k*k))
		}
		files[fmt.Sprintf("s%d.csv", k)] = b.String()
	}
	inFolder(t, files)
	got := call(t, "", "embed", "-resamples", "99", "s0.csv", "s1.csv", "s2.csv")
	words := strings.Join(strings.Fields(got.stdout), " ")
	for _, want := range []string{"use 9999 of the 12000 rows", "s2 is far from all others, nearest to s1"} {
		if got.code != 0 || !strings.Contains(words, want) {
			t.Errorf("%+v, want %q", got, want)
		}
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
		{[]string{"-standardize", "much", "place 1.csv", "place 2.csv"}, 2, 1},
		{[]string{"-level", "90", "place 1.csv", "place 2.csv"}, 2, 1},
		{[]string{"-resamples", "9", "place 1.csv", "place 2.csv"}, 2, 1},
		{[]string{"-theta", "2", "place 1.csv", "place 2.csv"}, 2, 1},
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

// A group without a complete row is named; where the user named it, or hardly any other is left, it is an error of one line. So
// are many groups of one row, and a file that is given twice.
func TestEmbedLostGroups(t *testing.T) {
	files := places()
	var holes, lone strings.Builder
	holes.WriteString("a,b,kind\n")
	for i := range 30 {
		b := strconv.Itoa(i * i % 7)
		if i%3 == 2 {
			b = ""
		}
		fmt.Fprintf(&holes, "%d,%s,%s\n", i*i%11, b, []string{"bus", "car", "van"}[i%3])
		fmt.Fprintf(&lone, "%d,%d\n", i, i*i)
	}
	files["holes.csv"] = holes.String()
	files["two.csv"] = strings.ReplaceAll(holes.String(), "bus", "car")
	files["lone.csv"] = "id,v\n" + lone.String()
	files["text.csv"] = "height,weight\n1,2\nx\n"
	inFolder(t, files)
	const lost = "No row of van (kind) is without missing values: it is left out."
	for _, c := range []struct {
		args, want string
		code       int
	}{
		{"embed -label kind holes.csv", lost, 0},
		{"twosample -label kind holes.csv", lost, 0},
		{"novelty -theta 1 -label kind holes.csv", lost, 0},
		{"embed -label kind=car,van holes.csv", "no row of van (kind) is without missing values (b 10)", 1},
		{"twosample -label kind=car,bus,van holes.csv", "no row of van (kind) is without missing values (b 10)", 1},
		{"embed -label kind two.csv", "no row of van (kind) is without missing values (b 10)", 1},
		{"embed -label id lone.csv", `lone.csv: column "id" has 30 labels with one row alone`, 1},
		{"embed text.csv text.csv", "text.csv: ", 1},
		{"twosample text.csv text.csv", "text.csv: ", 1},
	} {
		got := call(t, "", append(strings.Fields(c.args), "-force")...)
		out := strings.Join(strings.Fields(got.stdout+got.stderr), " ")
		if got.code != c.code || !strings.Contains(out, c.want) || c.code == 1 && strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: exit %d, %s%s", c.args, got.code, got.stdout, got.stderr)
		}
	}
}
