package cli

import "testing"

func TestBytesValue(t *testing.T) {
	for s, want := range map[string]int64{"500MB": 5e8, "4G": 4e9, "1.5 GiB": 1.5e9, "2e9": 2e9, "0": 0, "3tb": 3e12} {
		var v bytesValue
		if err := v.Set(s); err != nil || int64(v) != want {
			t.Errorf("%s is %d, want %d: %v", s, v, want, err)
		}
	}
	for _, s := range []string{"", "x", "-1", "1", "1e30", "NaN", "4 gigs"} {
		if err := new(bytesValue).Set(s); err == nil {
			t.Errorf("%q is taken", s)
		}
	}
}

// Of two limits the lesser holds, and none is none.
func TestLeast(t *testing.T) {
	for _, c := range [][3]int64{{0, 0, 0}, {0, 5, 5}, {5, 0, 5}, {3, 5, 3}, {5, 3, 3}} {
		if got := least(c[0], c[1]); got != c[2] {
			t.Errorf("least(%d, %d) = %d, want %d", c[0], c[1], got, c[2])
		}
	}
}
