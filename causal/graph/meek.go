package graph

// Meek directs what must be directed so that there are no new colliders and no cycles, by Meek's
// four rules, until nothing changes:
//
//	R1  a -> b - c, a and c not adjacent                                  b -> c
//	R2  a -> b -> c, a - c                                                a -> c
//	R3  a - b, a - c, a - d, c -> b, d -> b, c and d not adjacent         a -> b
//	R4  a - b, a - c, c -> d -> b, b and c not adjacent, a - d or a -> d
//	    or d -> a                                                         a -> b
//
// R4 is needed only where knowledge directs edges. Edges with two arrows take no part, other than
// making their ends adjacent. Every sweep looks at the graph as it was before the sweep, so the
// order of the nodes does not matter. An edge that one sweep directs both ways gets two arrows.
//
// R1, R3 and R4 rest on y not being a collider of x, y, z for an open triple: two edges, x and z
// not adjacent. Where undecided is not nil and reports that this is not known, they are not
// applied.
func (g *Graph) Meek(undecided func(x, y, z int) bool) {
	if undecided == nil {
		undecided = func(_, _, _ int) bool { return false }
	}
	m := meek{g, undecided}
	for {
		var found [][2]int
		for a := range g.names {
			for b := range g.names {
				if g.Open(a, b) && m.directs(a, b) {
					found = append(found, [2]int{a, b})
				}
			}
		}
		if len(found) == 0 {
			return
		}
		for _, e := range found {
			if g.Points(e[1], e[0]) { // by this sweep
				g.Set(e[0], e[1], Arrow, Arrow)
			} else {
				g.Set(e[0], e[1], Tail, Arrow)
			}
		}
	}
}

// MeekAcyclic applies the rules of Meek one edge at a time, in the order of the names. No edge is
// directed into a cycle, so that a graph without directed cycles keeps none, whatever contradicts
// itself in it.
func (g *Graph) MeekAcyclic(undecided func(x, y, z int) bool) {
	if undecided == nil {
		undecided = func(_, _, _ int) bool { return false }
	}
	m := meek{g, undecided}
	for more := true; more; {
		more = false
		for a := range g.names {
			for b := range g.names {
				if g.Open(a, b) && m.directs(a, b) && !g.Reaches(b, a) {
					g.Set(a, b, Tail, Arrow)
					more = true
				}
			}
		}
	}
}

type meek struct {
	*Graph
	undecided func(x, y, z int) bool
}

// directs reports whether a rule makes a - b into a -> b.
func (m meek) directs(a, b int) bool {
	for c := range m.names {
		switch {
		case c == a || c == b:
		case m.Points(c, a) && !m.Adjacent(c, b) && !m.undecided(c, a, b): // R1
			return true
		case m.Points(a, c) && m.Points(c, b): // R2
			return true
		case m.Open(a, c) && (m.third(a, b, c) || m.fourth(a, b, c)):
			return true
		}
	}
	return false
}

// third is R3 with c.
func (m meek) third(a, b, c int) bool {
	if !m.Points(c, b) {
		return false
	}
	for d := range c {
		if d != a && d != b && m.Open(a, d) && m.Points(d, b) && !m.Adjacent(c, d) &&
			!m.undecided(c, a, d) {
			return true
		}
	}
	return false
}

// fourth is R4 with c.
func (m meek) fourth(a, b, c int) bool {
	if m.Adjacent(b, c) || m.undecided(b, a, c) {
		return false
	}
	for d := range m.names {
		if d != a && d != b && d != c && m.Points(c, d) && m.Points(d, b) && m.Adjacent(a, d) &&
			!m.Conflict(a, d) {
			return true
		}
	}
	return false
}
