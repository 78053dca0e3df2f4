package cmdstan

import (
	"fmt"
	"strings"
	"testing"
)

func TestCSVColumns(t *testing.T) {
	for _, test := range []struct {
		names, columns string // separated by spaces
		plain          bool   // the columns alone give the names back
	}{
		{"mu tau2", "mu tau2", true},
		{"theta[1] theta[2]", "theta.1 theta.2", true},
		{"x[0] x[1] x[2]", "x.1 x.2 x.3", false},
		{"x[0]", "x.1", false},
		{"R[1,1] R[2,1] R[1,2] R[2,2]", "R.1.1 R.2.1 R.1.2 R.2.2", true},
		{"R[1,1] R[1,2] R[2,1] R[2,2]", "R.1.1 R.2.1 R.1.2 R.2.2", false},
		{"a[1,1,1] a[1,1,2] a[1,2,1] a[1,2,2] a[1,3,1] a[1,3,2]",
			"a.1.1.1 a.1.2.1 a.1.3.1 a.1.1.2 a.1.2.2 a.1.3.2", false},
		{"theta[2] mu theta[1]", "theta.1 theta.2 mu", false},
		// Incomplete arrays are scalars.
		{"L[1,1] L[2,1] L[2,2]", "L_1_1 L_2_1 L_2_2", false},
		{"theta[1] theta[3]", "theta_1 theta_3", false},
		{"theta[2] theta[3]", "theta_2 theta_3", false},
		{"theta theta[1]", "theta theta_1", false},
		{"a[1] a[1,1]", "a_1 a_1_1", false},
		{"a[0,1] a[0,2]", "a_0_1 a_0_2", false},
		{"x[01] x[02]", "x_01 x_02", false},
		{"x[999999999] x[1]", "x_999999999 x_1", false},
		{"x[-1] x[]", "x__1 x_", false},
		{"θ[1] θ[2] μ", "u03b8.1 u03b8.2 u03bc", false},
		{"log-sigma beta.age 2nd _u", "log_sigma beta_age p_2nd p_u", false},
		{"theta.1", "theta_1", false},
		{"b_log(scale(x)) b_`a` x--[1] x--[2]", "b_log_scale_x_ b__a_ x_.1 x_.2", false},
	} {
		names := strings.Fields(test.names)
		columns, err := layOut(names)
		if err != nil {
			t.Errorf("%q: %v", test.names, err)
			continue
		}
		var got []string
		plain := true
		for i, c := range columns {
			got = append(got, c.name)
			plain = plain && restoreName(c.name) == names[c.col] && c.col == i
		}
		if strings.Join(got, " ") != test.columns {
			t.Errorf("%q: columns %q, want %q", test.names, got, test.columns)
		}
		if plain != test.plain {
			t.Errorf("%q: the columns alone give the names back: %v", test.names, plain)
		}
	}
}

// The columns of an array must hold the elements that their names say, in every order of the names.
func TestCSVColumnsKeepElements(t *testing.T) {
	var names []string
	for _, i := range []int{2, 0, 1} {
		for j := range 2 {
			for _, k := range []int{1, 0, 3, 2} {
				names = append(names, fmt.Sprintf("a[%d,%d,%d]", i, j, k))
			}
		}
	}
	columns, err := layOut(names)
	if err != nil {
		t.Fatal(err)
	}
	for e, c := range columns {
		i, j, k := e%3, e/3%2, e/6
		if want := fmt.Sprintf("a.%d.%d.%d", i+1, j+1, k+1); c.name != want {
			t.Errorf("column %d is %s, want %s", e, c.name, want)
		}
		if want := fmt.Sprintf("a[%d,%d,%d]", i, j, k); names[c.col] != want {
			t.Errorf("column %s holds %s, want %s", c.name, names[c.col], want)
		}
	}
}

func TestCSVColumnsRefuse(t *testing.T) {
	for _, names := range [][]string{
		{"lp__"}, {"a__"}, {"a__[1]"}, {"a b", "a_b"}, {"a", "a"}, {"theta[1]", "theta[1]"}, {""},
		{"a[1]", "a[3]", "a[3]"},
		{"theta.1", "theta_1"}, {".."}, {"-"},
	} {
		_, err := layOut(names)
		if err == nil || !strings.HasPrefix(err.Error(), "cmdstan: ") {
			t.Errorf("%q: error %v", names, err)
		}
	}
}

// Each reason has words of its own.
func TestLayOutReasons(t *testing.T) {
	for name, want := range map[string]string{
		"a__": "names ending in __ are the sampler's own columns",
		"..":  `parameter name ".." has no letter or digit`,
	} {
		if _, err := layOut([]string{name}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestRestoreName(t *testing.T) {
	for name, want := range map[string]string{
		"mu": "mu", "theta.1": "theta[1]", "R.2.1": "R[2,1]", "a.b": "a.b", ".1": ".1", "a.": "a.",
		"a.1.": "a.1.", "a.01": "a.01", "t:1.2": "t:1[2]",
	} {
		if got := restoreName(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
