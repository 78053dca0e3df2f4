package journal

import "testing"

// Shards have every unit once, and as many as they say.
func TestShard(t *testing.T) {
	for n := 1; n < 6; n++ {
		for units := range 12 {
			seen := make([]int, units)
			for k := 1; k <= n; k++ {
				s, count := Shard{k, n}, 0
				for i := range units {
					if s.Has(i) {
						seen[i]++
						count++
					}
				}
				if count != s.Of(units) {
					t.Errorf("shard %s of %d units has %d, says %d", &s, units, count, s.Of(units))
				}
			}
			for i, times := range seen {
				if times != 1 {
					t.Errorf("unit %d is in %d of %d shards", i, times, n)
				}
			}
		}
	}
	if s := (Shard{}); !s.Has(7) || s.Of(7) != 7 || s.String() != "" {
		t.Error("the zero value has not all")
	}
	for _, text := range []string{"", "2", "0/3", "4/3", "-1/3", "a/b", "1/3/5", "1.5/2"} {
		if err := new(Shard).Set(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	var s Shard
	if err := s.Set("2/3"); err != nil || s != (Shard{2, 3}) || s.String() != "2/3" {
		t.Errorf("%v, %v", s, err)
	}
}
