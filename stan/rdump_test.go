package stan

import (
	"encoding/json"
	"testing"
)

// Data as R's dump writes them, beside what they are in JSON.
func TestRDump(t *testing.T) {
	src := "# data\nN <- 3L\nx <-\nc(1.5, -2e-1, 3)\n\"m\" <- structure(c(1, 2, 3, 4, 5, 6), .Dim = c(2L, 3L))\n" +
		"k <- 3:1; empty <- integer(0)\nv = c(1, 4:5)\na <- structure(1:8,\n.Dim = c(2L, 2L, 2L))\nneg <- -4\n"
	want := `{"N":[3],"a":[[[1,5],[3,7]],[[2,6],[4,8]]],"empty":[],"k":[3,2,1],"m":[[1,3,5],[2,4,6]],"neg":[-4],"v":[1,4,5],"x":[1.5,-0.2,3]}`
	d, err := ParseData([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(d)
	if err != nil || string(got) != want {
		t.Errorf("read %s, want %s (%v)", got, want, err)
	}
	for _, c := range [][2]string{
		{"x <- c(1, 2", `stan: data: line 1: want , or ) in c(), found the end of the file`},
		{"x <- NA", `stan: data: line 1: Stan has no missing values: NA, found the end of the file`},
		{"y <- 2\nx <- structure(c(1,2), .Dim = c(3))\n", `stan: data: line 2: 2 values have the dimensions [3], found "\n"`},
		{"x <- two", `stan: data: line 1: "two" is no number, found the end of the file`},
		{"x <- c(1:9000000, 1:9000000)", `stan: data: line 1: a range from 1 to 9e+06 is too long: ranges and zeros make at most 10000000 values, found ")"`},
		{"x <- numeric(1e9)", `stan: data: line 1: numeric(1e+09) is not read: ranges and zeros make at most 10000000 values, found the end of the file`},
		{"x <- structure(integer(0), .Dim = c(2147483648, 2147483648, 4))", `stan: data: line 1: a dimension is 2.147483648e+09, found the end of the file`},
		{"x <- structure(integer(0), .Dim = c(1e9, 0))", `stan: data: line 1: a dimension is 1e+09, found the end of the file`},
		{"x <- 1:NaN", `stan: data: line 1: a range from 1 to NaN is too long: ranges and zeros make at most 10000000 values, found the end of the file`},
		{"x 2", `stan: data: line 1: want <- after x, found "2"`},
		{"x,y\n1,2\n", `stan: data: line 1: this looks like a table: write it as JSON, by the names of the data block, ` +
			`such as {"N": 3, "x": [1.5, 2, 4]}`},
	} {
		if _, err := ParseData([]byte(c[0])); err == nil || err.Error() != c[1] {
			t.Errorf("%q: %v, want %s", c[0], err, c[1])
		}
	}
}

// Steps of a range that are lost to rounding do not make it endless.
func TestRangeOfLargeNumbers(t *testing.T) {
	d, err := ParseData([]byte("x <- 1e17:100000000000000016"))
	if x, ok := d["x"].([]any); err != nil || !ok || len(x) != 17 {
		t.Errorf("%d values, %v, want 17", len(x), err)
	}
}

func FuzzData(f *testing.F) {
	f.Add([]byte("x <- structure(c(1, 2), .Dim = c(1L, 2L))"))
	f.Add([]byte(`{"x": [1, 2]}`))
	f.Add([]byte("0<-0:33333333=1"))
	f.Add([]byte("a <- 1:3; b <- c(4, integer(2), -1e3)"))
	f.Fuzz(func(t *testing.T, b []byte) { _, _ = ParseData(b) })
}
