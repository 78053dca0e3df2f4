package figure

import (
	"math"
	"os"
	"testing"
)

// rowsOf are n numbers that spread like a sample of a normal law.
func rowsOf(n int, mean, sd, step float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = mean + sd*math.Sqrt2*math.Erfinv(2*math.Mod(float64(i+1)*step, 1)-1)
	}
	return out
}

func TestGroupsWrong(t *testing.T) {
	good := []float64{1, 2, 3}
	for _, f := range []Groups{
		{},
		{Names: []string{"a"}, Columns: []GroupColumn{{Values: [][]float64{good}}}},
		{Names: []string{"a", "b"}},
		{Names: []string{"a", "b"}, Columns: []GroupColumn{{Values: [][]float64{good}}}},
		{Names: []string{"a", "b"}, Columns: []GroupColumn{{Values: [][]float64{good, {}}}}},
		{Names: []string{"a", "b"}, Columns: []GroupColumn{{Values: [][]float64{good, {math.NaN()}}}}},
	} {
		if _, err := f.Draw(); err == nil {
			t.Errorf("%+v is drawn", f)
		}
	}
}

// Groups of any number of columns, of one row and of equal rows, are drawn.
func TestGroupsDraws(t *testing.T) {
	for _, columns := range []int{1, 2, 3, 30} {
		f := Groups{Title: "Groups", Names: []string{"smoke = 0", "smoke = 1", "one row"}}
		for i := range columns {
			f.Columns = append(f.Columns, GroupColumn{Label: "weight", Fact: "overlap .6",
				Values: [][]float64{rowsOf(40, 0, 1, math.Sqrt(2)), rowsOf(400, float64(i), 2, math.Sqrt(3)), {1}}})
		}
		f.Columns[0].Values[0] = []float64{2, 2, 2}
		d, err := f.Draw()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ForWeb(f); err != nil {
			t.Fatal(err)
		}
		if dir := os.Getenv("GROUPS_OUT"); dir != "" {
			out, _ := os.Create(dir + "/g" + string(rune('0'+min(columns, 9))) + ".png")
			d.WritePNG(out)
			out.Close()
		}
	}
}
