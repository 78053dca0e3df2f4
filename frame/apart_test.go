package frame

import (
	"slices"
	"strings"
	"testing"
)

// Labels, groups and weights are read beside the data, and rows that miss one of them are left out of
// all.
func TestApart(t *testing.T) {
	in := "w,x,day,side,y\n1,2,mon,l,3\n2.5,4,tue,r,5\n,6,tue,l,7\n1,8,,r,9\n3,10,mon,r,11\n"
	o := Options{Label: "side", Group: "day", Weight: "w", Missing: DropMissing}
	got, err := readNumbers(strings.NewReader(in), "d.csv", o)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Names, []string{"x", "y"}) || got.Dropped != 2 ||
		!slices.Equal(got.Data.RawMatrix().Data, []float64{2, 3, 4, 5, 10, 11}) {
		t.Errorf("names %v, %d dropped, data %v", got.Names, got.Dropped, got.Data.RawMatrix().Data)
	}
	if !slices.Equal(got.Labels, []string{"l", "r", "r"}) || got.Label != "side" ||
		!slices.Equal(got.Groups, []string{"mon", "tue", "mon"}) || got.Group != "day" ||
		!slices.Equal(got.Weights, []float64{1, 2.5, 3}) || got.Weight != "w" {
		t.Errorf("%+v", got)
	}
	// By numbers, with chosen columns, without a header.
	o = Options{Columns: []string{"2"}, Group: "1", Weight: "3"}
	got, err = readNumbers(strings.NewReader("1 2 3\n4 5 6\n"), "d.csv", o)
	if err != nil || !slices.Equal(got.Groups, []string{"1", "4"}) ||
		!slices.Equal(got.Weights, []float64{3, 6}) || !slices.Equal(got.Names, []string{"x2"}) {
		t.Errorf("%v, %+v", err, got)
	}
}

func TestApartErrors(t *testing.T) {
	for _, c := range []struct {
		in   string
		o    Options
		want string
	}{
		{"x,w\n1,2\n3,-1\n", Options{Weight: "w"},
			`line 3, column "w": the weight is "-1", want a positive number`},
		{"x,w\n1,0\n", Options{Weight: "w"},
			`line 2, column "w": the weight is "0", want a positive number`},
		{"x,w\n1,2\n3,heavy\n", Options{Weight: "w"}, `line 3, column "w": "heavy" is not a number`},
		{"x,w\n1,NA\n", Options{Weight: "w"},
			`line 2, column "w": the value is missing ("NA"); -na drop leaves such rows out`},
		{"x,w\n1,1\n", Options{Weight: "v"}, `there is no column "v", only "x", "w"`},
		{"x,w\n1,1\n", Options{Weight: "w", Columns: []string{"x", "w"}},
			`column "w" is chosen both as data and as weight`},
		{"x,g\n1,1\n", Options{Label: "g", Group: "2"},
			`column "g" is chosen both as label and as group`},
		{"x,g\n1,\n", Options{Group: "g"},
			`line 2, column "g": the group is missing; -na drop leaves such rows out`},
		{"x,g\n1,\n2,\n", Options{Group: "g", Missing: DropMissing},
			`all 2 rows have a missing value, 2 of them in column "g"`},
		{"w,g\n1,a\n", Options{Group: "g", Weight: "w"}, `there is no column of numbers beside the ` +
			`weight, column "w", and the group, column "g"`},
	} {
		c.o.Remedies = flags
		_, err := readNumbers(strings.NewReader(c.in), "d.csv", c.o)
		if err == nil || err.Error() != "d.csv: "+c.want {
			t.Errorf("%q: error is %v, want d.csv: %s", c.in, err, c.want)
		}
	}
}
