package svm

// cache keeps the most recently used rows of the kernel matrix, within a bound of memory.
type cache struct {
	of    items
	n     int
	rows  [][]float64
	most  int // rows that are kept
	kept  int
	newer []int // of the rows that are kept, the one used after it; n ends the list
	older []int
}

// newCache has room for bytes, at least for a few rows.
func newCache(of items, bytes int64) *cache {
	n := of.len()
	c := &cache{of: of, n: n, rows: make([][]float64, n), newer: make([]int, n+1),
		older: make([]int, n+1)}
	c.most = int(min(max(bytes/int64(8*n), 8), int64(n)))
	c.newer[n], c.older[n] = n, n // a ring through n, which is no row
	return c
}

// row returns a row. It stays valid until more than a handful of others have been requested.
func (c *cache) row(i int) []float64 {
	if c.rows[i] != nil {
		if c.most < c.n {
			c.unlink(i)
			c.link(i)
		}
		return c.rows[i]
	}
	var r []float64
	if c.kept < c.most {
		r = make([]float64, c.n)
		c.kept++
	} else {
		last := c.newer[c.n] // the oldest
		r = c.rows[last]
		c.rows[last] = nil
		c.unlink(last)
	}
	c.of.row(r, i)
	c.rows[i] = r
	c.link(i)
	return r
}

// link makes i the newest.
func (c *cache) link(i int) {
	last := c.older[c.n]
	c.older[i], c.newer[i] = last, c.n
	c.newer[last], c.older[c.n] = i, i
}

func (c *cache) unlink(i int) {
	c.newer[c.older[i]] = c.newer[i]
	c.older[c.newer[i]] = c.older[i]
}
