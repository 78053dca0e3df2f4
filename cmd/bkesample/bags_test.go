package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// counties are bags whose vote is the share of the rows from one of two groups, and whose party is the
// larger group. All are synthetic.
func counties() map[string]string {
	r := rand.New(rand.NewPCG(8, 8))
	var known, parties, fresh, split strings.Builder
	known.WriteString("county,income,age,vote\n")
	parties.WriteString("county,income,age,party\n")
	fresh.WriteString("county,income,age\n")
	split.WriteString("county,income,vote\n")
	for i := range 60 {
		share := r.Float64()
		for range []int{3, 12, 60}[i%3] {
			income := -1.0
			if r.Float64() < share {
				income = 1
			}
			row := fmt.Sprintf("c%02d,%.3f,%.3f", i, income+.6*r.NormFloat64(), 40+9*r.NormFloat64())
			party := "red"
			if share > .5 {
				party = "blue"
			}
			if i >= 50 {
				fresh.WriteString(row + "\n")
				continue
			}
			fmt.Fprintf(&known, "%s,%.3f\n", row, share)
			fmt.Fprintf(&parties, "%s,%s\n", row, party)
		}
	}
	for i := range 12 {
		fmt.Fprintf(&split, "c%d,%d,%d\nc%d,%d,%d\n", i, i, i, i, i+1, i%5)
	}
	files := mistaken()
	files["votes.csv"], files["parties.csv"], files["fresh.csv"], files["split.csv"] = known.String(), parties.String(),
		fresh.String(), split.String()
	files["single.csv"] = "county,income,vote\n" + func() (out string) {
		for i := range 12 {
			out += fmt.Sprintf("c%d,%d,%d\n", i, i*7%5, i)
		}
		return out
	}()
	files["words.csv"] = "county,income,vote\n" + func() (out string) {
		for i := range 24 {
			out += fmt.Sprintf("c%d,%d,%c\n", i/2, i*7%5, 'a'+rune(i/2%3))
		}
		return out
	}()
	files["equal.csv"] = "county,income,vote\n" + func() (out string) {
		for i := range 24 {
			out += fmt.Sprintf("c%d,%d,7\n", i/2, i*7%5)
		}
		return out
	}()
	return files
}

// What is printed and left.
func TestBags(t *testing.T) {
	onGoldenMachine(t)
	inFolder(t, counties())
	got := call(t, "", "bags", "-bag", "county", "-y", "vote", "-predict", "fresh.csv", "votes.csv")
	if got.code != 0 || got.stderr != "" {
		t.Fatalf("exit %d: %s", got.code, got.stderr)
	}
	golden(t, "bags.stdout", got.stdout)
	b, err := os.ReadFile("bkesample-out/bags/summary.json")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "bags.json", string(b))
	for _, file := range []string{"figure.png", "figure.svg", "report.html", "bags.csv", "new.csv", "summary.json"} {
		if info, err := os.Stat("bkesample-out/bags/" + file); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// Shares are explained, and classes better than by their frequencies; new bags of many rows have the
// narrower intervals.
func TestBagsFindings(t *testing.T) {
	inFolder(t, counties())
	type record struct {
		Explained, Lower float64
		Right            float64 `json:"share_right"`
		Classes          []string
		New              []struct {
			Rows                    int
			Predicted, Lower, Upper float64
		}
	}
	var s, c record
	for name, to := range map[string]*record{"vote votes.csv": &s, "party parties.csv": &c} {
		args := strings.Fields("bags -format json -predict fresh.csv -bag county -landmarks 12 -y " + name)
		got := call(t, "", args...)
		if got.code != 0 {
			t.Fatal(got.stderr)
		}
		if err := json.Unmarshal([]byte(got.stdout), to); err != nil {
			t.Fatal(err)
		}
	}
	if s.Explained < .5 || math.Abs(s.Right-.9) > .14 {
		t.Errorf("votes: %v explained, %v within their intervals", s.Explained, s.Right)
	}
	width := map[int]float64{}
	for _, b := range s.New {
		width[b.Rows] = b.Upper - b.Lower
	}
	if !(width[3] > width[12] && width[12] > width[60]) {
		t.Errorf("widths by rows: %v", width)
	}
	if len(c.Classes) != 2 || c.Classes[0] != "blue" || c.Right < .7 || c.Explained < .2 {
		t.Errorf("parties: %v, %v right, %v explained", c.Classes, c.Right, c.Explained)
	}
}

// Mistakes are told in one line, with the right code.
func TestBagsErrors(t *testing.T) {
	inFolder(t, counties())
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"bags", 2, "found 0 files"},
		{"bags votes.csv", 2, "-bag is missing"},
		{"bags -bag county votes.csv", 2, "-y is missing"},
		{"bags -bag county -y county votes.csv", 2, "both name county"},
		{"bags -bag county -y vote -columns vote votes.csv", 2, "in -columns and in -y"},
		{"bags -bag county -y vote -drop vote votes.csv", 2, "-y names vote"},
		{"bags -bag county -y vote -level 2 votes.csv", 2, "-level is 2"},
		{"bags -bag county -y vote -landmarks 1 votes.csv", 2, "-landmarks is 1"},
		{"bags -bag place -y vote votes.csv", 1, "place"},
		{"bags -bag county -y votes votes.csv", 1, "votes"},
		{"bags -bag county -y vote none.csv", 1, "none.csv"},
		{"bags -bag county -y vote split.csv", 1, "want one value for each county"},
		{"bags -bag county -y vote single.csv", 1, "has one row"},
		{"bags -bag county -y vote words.csv", 1, "text and 3 values"},
		{"bags -bag county -y vote equal.csv", 1, "is 7 in all bags"},
		{"bags -bag county -y vote -predict none.csv votes.csv", 1, "none.csv"},
		{"bags -bag county -y vote -predict p.csv votes.csv", 1, "county"},
	} {
		got := call(t, "", strings.Fields(c.args)...)
		line, rest, _ := strings.Cut(got.stderr, "\n")
		if got.code != c.code || !strings.Contains(line, c.want) || rest != "" || got.stdout != "" {
			t.Errorf("%s: exit %d, %q, want %d and one line with %q", c.args, got.code, got.stderr, c.code, c.want)
		}
	}
	if _, err := os.Stat("bkesample-out"); err == nil {
		t.Error("a folder was made")
	}
}
