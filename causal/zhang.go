package causal

import "bayeskernel/causal/graph"

// rules applies the rules R1 to R10 of Zhang (2008), in the order of the names, until nothing changes.
// They rest on what the votes say of open triples: nothing follows from one that is undecided. Broken says that an edge was
// removed, and marks are to be put anew.
func (f *fci) rules(votes map[[3]int]ballot) (broken bool, err error) {
	passing := func(x, y, z int) bool { return votes[triple(x, y, z)].verdict == passes }
	p := len(f.names)
	for more := true; more; {
		more = false
		for a := range p {
			for b := range p {
				if a == b || !f.g.Adjacent(a, b) {
					continue
				}
				// Each asks for marks of the edge of a and b.
				if f.circle(b, a) && (f.r1(a, b, passing) || f.r9(a, b) || f.r8(a, b) || f.r10(a, b) ||
					f.r6(a, b) || f.r7(a, b)) {
					more = true
				}
				if f.circle(a, b) && (f.r2(a, b) || f.r3(a, b, passing)) {
					more = f.set(a, b, graph.Arrow) || more
				}
				if f.circle(b, a) {
					put, broken, err := f.r4(a, b)
					if broken || err != nil {
						return broken, err
					}
					more = more || put
				}
				if f.circle(a, b) && f.circle(b, a) && f.r5(a, b) {
					more = true
				}
			}
		}
	}
	return false, nil
}

// r1: c *-> a o-* b, c and b not adjacent: a -> b.
func (f *fci) r1(a, b int, passing func(x, y, z int) bool) bool {
	for c := range f.names {
		if c != b && f.g.Adjacent(c, a) && f.into(c, a) && !f.g.Adjacent(c, b) && passing(c, a, b) &&
			!f.tail(a, b) {
			f.set(a, b, graph.Arrow)
			return f.set(b, a, graph.Tail)
		}
	}
	return false
}

// r2: a -> c *-> b or a *-> c -> b: an arrow at b.
func (f *fci) r2(a, b int) bool {
	for c := range f.names {
		if f.g.Adjacent(a, c) && f.g.Adjacent(c, b) && f.into(a, c) && f.into(c, b) &&
			(f.tail(c, a) || f.tail(b, c)) {
			return true
		}
	}
	return false
}

// r3: x *-> b <-* y, x *-o a o-* y, x and y not adjacent: an arrow at b.
func (f *fci) r3(a, b int, passing func(x, y, z int) bool) bool {
	for x := range f.names {
		if x == a || !f.into(x, b) || !f.g.Adjacent(x, a) || !f.circle(x, a) {
			continue
		}
		for y := range x {
			if y != a && f.into(y, b) && f.g.Adjacent(y, a) && f.circle(y, a) && !f.g.Adjacent(x, y) &&
				passing(x, a, y) {
				return true
			}
		}
	}
	return false
}

// r4: a path d … q, b, c on which every column between d and b is a collider and a cause of c: with
// b o-* c, b is a cause of c if it separates d and c, and else a collider. Broken says that the path lost an edge instead.
func (f *fci) r4(b, c int) (put, broken bool, err error) {
	p := len(f.names)
	for q := range p {
		if q == b || q == c || !f.g.Adjacent(q, b) || !f.into(b, q) || !f.g.Points(q, c) {
			continue
		}
		seen, from := make([]bool, p), make([]int, p)
		seen[b], seen[c], seen[q] = true, true, true
		queue := []int{q}
		for len(queue) > 0 {
			at := queue[0]
			queue = queue[1:]
			for d := range p {
				if seen[d] || !f.g.Adjacent(d, at) || !f.into(d, at) {
					continue
				}
				if !f.g.Adjacent(d, c) {
					if f.path != nil {
						path := []int{d}
						for k := at; k != q; k = from[k] {
							path = append(path, k)
						}
						if all, err := f.path(append(path, q, b, c)); err != nil || !all {
							return false, err == nil, err
						}
					}
					if f.holds(d, c, b) {
						if f.tail(b, c) {
							return false, false, nil
						}
						f.set(b, c, graph.Arrow)
						return f.set(c, b, graph.Tail), false, nil
					}
					changed := f.set(q, b, graph.Arrow)
					changed = f.set(b, c, graph.Arrow) || changed
					return f.set(c, b, graph.Arrow) || changed, false, nil
				}
				if f.g.Points(d, c) && f.into(at, d) {
					seen[d], from[d] = true, at
					queue = append(queue, d)
				}
			}
		}
	}
	return false, false, nil
}

// paths looks for a path from a by way of first to b of which no column and the next but one are
// adjacent; step says which edges it may take. Check is asked for the last column before b.
func (f *fci) paths(a, first, b int, step func(i, j int) bool, check func(last int) bool) []int {
	on := make([]bool, len(f.names))
	on[a], on[first] = true, true
	path := []int{a, first}
	var walk func() bool
	walk = func() bool {
		at, before := path[len(path)-1], path[len(path)-2]
		for k := range f.names {
			if on[k] || !f.g.Adjacent(at, k) || f.g.Adjacent(before, k) || !step(at, k) {
				continue
			}
			if k == b {
				if check(at) {
					path = append(path, b)
					return true
				}
				continue
			}
			on[k] = true
			path = append(path, k)
			if walk() {
				return true
			}
			path = path[:len(path)-1]
			on[k] = false
		}
		return false
	}
	if walk() {
		return path
	}
	return nil
}

// r5: a o-o b and a path of o-o from a to b, of four columns at least, whose ends are not adjacent to
// the column next to the other end: all of its edges are undirected.
func (f *fci) r5(a, b int) bool {
	open := func(i, j int) bool { return f.circle(i, j) && f.circle(j, i) }
	for first := range f.names {
		if first == b || !f.g.Adjacent(a, first) || !open(a, first) || f.g.Adjacent(first, b) {
			continue
		}
		path := f.paths(a, first, b, open, func(last int) bool { return !f.g.Adjacent(last, a) })
		if path == nil {
			continue
		}
		f.g.Set(a, b, graph.Tail, graph.Tail)
		for k := range len(path) - 1 {
			f.g.Set(path[k], path[k+1], graph.Tail, graph.Tail)
		}
		return true
	}
	return false
}

// r6: c - a o-* b: a tail at a.
func (f *fci) r6(a, b int) bool {
	for c := range f.names {
		if c != b && f.g.Open(c, a) {
			return f.set(b, a, graph.Tail)
		}
	}
	return false
}

// r7: c -o a o-* b, c and b not adjacent: a tail at a.
func (f *fci) r7(a, b int) bool {
	for c := range f.names {
		if c != b && f.g.Adjacent(c, a) && f.tail(a, c) && f.circle(c, a) && !f.g.Adjacent(c, b) {
			return f.set(b, a, graph.Tail)
		}
	}
	return false
}

// r8: a -> c -> b or a -o c -> b, and a o-> b: a tail at a.
func (f *fci) r8(a, b int) bool {
	if !f.into(a, b) {
		return false
	}
	for c := range f.names {
		if c != b && f.g.Adjacent(a, c) && f.tail(c, a) && (f.into(a, c) || f.circle(a, c)) &&
			f.g.Points(c, b) {
			return f.set(b, a, graph.Tail)
		}
	}
	return false
}

// along reports whether the edge may be i -> j: there is no arrow at i, and no tail at j.
func (f *fci) along(i, j int) bool { return !f.into(j, i) && !f.tail(i, j) }

// r9: a o-> b and a path that may lead from a to b, whose first column is not adjacent to b: a tail at
// a.
func (f *fci) r9(a, b int) bool {
	if !f.into(a, b) {
		return false
	}
	for first := range f.names {
		if first != b && f.g.Adjacent(a, first) && f.along(a, first) && !f.g.Adjacent(first, b) &&
			f.paths(a, first, b, f.along, func(int) bool { return true }) != nil {
			return f.set(b, a, graph.Tail)
		}
	}
	return false
}

// r10: a o-> b, c -> b <- d, and paths that may lead from a to c and to d, whose first columns differ
// and are not adjacent: a tail at a.
func (f *fci) r10(a, b int) bool {
	if !f.into(a, b) {
		return false
	}
	var parents []int
	for _, k := range f.g.Parents(b) {
		if k != a {
			parents = append(parents, k)
		}
	}
	for i, c := range parents {
		ofC := f.firsts(a, c)
		for _, d := range parents[:i] {
			for _, u := range ofC {
				for _, v := range f.firsts(a, d) {
					if u != v && !f.g.Adjacent(u, v) {
						return f.set(b, a, graph.Tail)
					}
				}
			}
		}
	}
	return false
}

// firsts are the first columns of paths without chords of one that may lead from a to c.
func (f *fci) firsts(a, c int) []int {
	var out []int
	for first := range f.names {
		if !f.g.Adjacent(a, first) || !f.along(a, first) {
			continue
		}
		if first == c || f.paths(a, first, c, f.along, func(int) bool { return true }) != nil {
			out = append(out, first)
		}
	}
	return out
}
