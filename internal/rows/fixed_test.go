package rows

import (
	"math"
	"testing"
)

func TestFixed(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		groups []string
		data   []float64
		dim    int
		want   bool
	}{
		"in each group":      {[]string{"a", "a", "b", "b", "b"}, []float64{1, 1, 2, 2, 2}, 1, true},
		"in one of two":      {[]string{"a", "a", "b", "b"}, []float64{1, 1, 2, 3}, 1, false},
		"apart in the file":  {[]string{"a", "b", "a", "b"}, []float64{1, 2, 1, 2}, 1, true},
		"groups of one row":  {[]string{"a", "b", "c"}, []float64{1, 2, 3}, 1, false},
		"one group of two":   {[]string{"a", "b", "b"}, []float64{1, 2, 2}, 1, true},
		"the second column":  {[]string{"a", "a"}, []float64{1, 2, 1, 3}, 2, false},
		"a value is missing": {[]string{"a", "a"}, []float64{nan, nan}, 1, false},
		"no groups":          {nil, nil, 1, false},
	} {
		if got := Fixed(c.groups, c.data, c.dim); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
