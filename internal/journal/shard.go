package journal

import (
	"fmt"
	"strconv"
	"strings"
)

// Shard is a share of the units of a work: of N shards the K-th, from 1, has every N-th unit. The zero value has
// all. It is a flag.Value.
type Shard struct{ K, N int }

// Has reports whether the shard has a unit; units are numbered from 0.
func (s Shard) Has(unit int) bool { return s.N == 0 || unit%s.N == s.K-1 }

// Of is how many of so many units the shard has.
func (s Shard) Of(units int) int {
	if s.N == 0 {
		return units
	}
	return (units + s.N - s.K) / s.N
}

func (s *Shard) String() string {
	if s == nil || s.N == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.K, s.N)
}

// Set reads k/n.
func (s *Shard) Set(text string) error {
	first, last, _ := strings.Cut(text, "/")
	k, err := strconv.Atoi(strings.TrimSpace(first))
	n, err2 := strconv.Atoi(strings.TrimSpace(last))
	if err != nil || err2 != nil || k < 1 || k > n {
		return fmt.Errorf("is %q, want k/n with k from 1 to n, such as 2/3", text)
	}
	*s = Shard{k, n}
	return nil
}
