package causal

import (
	"fmt"
	"slices"
	"strings"

	"bayeskernel/causal/graph"
)

// Arrow is a direct effect of one column on another.
type Arrow struct{ From, To string }

// String is the arrow with its names.
func (a Arrow) String() string { return a.From + " -> " + a.To }

// Knowledge is what is known before the data.
type Knowledge struct {
	// Tiers are groups of columns in their order in time: no column has an effect on one of an earlier
	// tier. Columns that are in no tier may have effects on all and from all.
	Tiers [][]string
	// Forbidden effects are not there. A pair that is forbidden both ways is not adjacent, and is not
	// tested; nothing else follows from that.
	Forbidden []Arrow
	// Required effects are there. Their pairs are not tested.
	Required []Arrow
}

func (k Knowledge) any() bool { return len(k.Tiers)+len(k.Forbidden)+len(k.Required) > 0 }

// ParseTiers reads tiers as "a,b;c,d": the columns a and b come before c and d.
func ParseTiers(text string) ([][]string, error) {
	var out [][]string
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	for _, tier := range strings.Split(text, ";") {
		var names []string
		for _, name := range strings.Split(tier, ",") {
			if name = strings.TrimSpace(name); name == "" {
				return nil, fmt.Errorf("causal: the tiers %q have an empty name, want \"a,b;c,d\"", text)
			}
			names = append(names, name)
		}
		out = append(out, names)
	}
	return out, nil
}

// ParseArrows reads arrows as "a->b;c->d"; "a--b" stands for both ways.
func ParseArrows(text string) ([]Arrow, error) {
	var out []Arrow
	for _, part := range strings.Split(text, ";") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		from, to, ok := strings.Cut(part, "->")
		both := false
		if !ok {
			from, to, both = strings.Cut(part, "--")
		}
		from, to = strings.TrimSpace(from), strings.TrimSpace(to)
		if !ok && !both || from == "" || to == "" || strings.Contains(to, "->") {
			return nil, fmt.Errorf("causal: the arrow is %q, want \"a->b\" or \"a->b;c->d\"", part)
		}
		out = append(out, Arrow{from, to})
		if both {
			out = append(out, Arrow{to, from})
		}
	}
	return out, nil
}

// rules is knowledge about numbered columns, whose names are sorted.
type rules struct {
	names     []string
	tier      []int  // -1 for none
	forbidden []bool // i*p+j is i -> j
	required  []bool
}

// resolve finds the columns, and contradictions.
func (k Knowledge) resolve(names []string) (*rules, error) {
	p := len(names)
	r := &rules{names: names, tier: make([]int, p), forbidden: make([]bool, p*p),
		required: make([]bool, p*p)}
	for i := range r.tier {
		r.tier[i] = -1
	}
	for t, tier := range k.Tiers {
		for _, name := range tier {
			i, err := r.find(name, "the tiers")
			if err != nil {
				return nil, err
			}
			if r.tier[i] >= 0 {
				return nil, fmt.Errorf("causal: column %s is in tiers %d and %d, want it in one", name,
					r.tier[i]+1, t+1)
			}
			r.tier[i] = t
		}
	}
	for i := range p {
		for j := range p {
			r.forbidden[i*p+j] = r.tier[j] >= 0 && r.tier[i] > r.tier[j]
		}
	}
	if err := r.arrows(k.Forbidden, "forbidden", r.forbidden); err != nil {
		return nil, err
	}
	if err := r.arrows(k.Required, "required", r.required); err != nil {
		return nil, err
	}
	return r, r.contradictions()
}

func (r *rules) find(name, where string) (int, error) {
	i, ok := slices.BinarySearch(r.names, name)
	if !ok {
		return 0, fmt.Errorf("causal: %s name a column %s, want one of %s", where, name,
			strings.Join(r.names, ", "))
	}
	return i, nil
}

func (r *rules) arrows(list []Arrow, kind string, to []bool) error {
	for _, a := range list {
		i, err := r.find(a.From, "the "+kind+" edges")
		if err != nil {
			return err
		}
		j, err := r.find(a.To, "the "+kind+" edges")
		if err != nil {
			return err
		}
		if i == j {
			return fmt.Errorf("causal: the %s edge %v has one column, want two", kind, a)
		}
		to[i*len(r.names)+j] = true
	}
	return nil
}

// contradictions says why no graph satisfies the knowledge.
func (r *rules) contradictions() error {
	p := len(r.names)
	g, err := graph.New(r.names)
	if err != nil {
		return fmt.Errorf("causal: %w", err)
	}
	for i := range p {
		for j := range p {
			if !r.required[i*p+j] {
				continue
			}
			a := Arrow{r.names[i], r.names[j]}
			switch {
			case r.tier[j] >= 0 && r.tier[i] > r.tier[j]:
				return fmt.Errorf("causal: the required edge %v goes from tier %d back to tier %d, want "+
					"knowledge without contradictions", a, r.tier[i]+1, r.tier[j]+1)
			case r.forbidden[i*p+j]:
				return fmt.Errorf("causal: the edge %v is both required and forbidden, want knowledge "+
					"without contradictions", a)
			case r.required[j*p+i]:
				return fmt.Errorf("causal: both %s -> %s and %v are required, want knowledge without "+
					"contradictions", a.To, a.From, a)
			}
			g.Set(i, j, graph.Tail, graph.Arrow)
		}
	}
	if c := g.Cycle(); c != nil {
		return fmt.Errorf("causal: the required edges %s -> %s are a cycle, want knowledge without "+
			"contradictions", strings.Join(c, " -> "), c[0])
	}
	return nil
}

// apart reports whether i and j are known not to be adjacent.
func (r *rules) apart(i, j int) bool {
	p := len(r.names)
	return r.forbidden[i*p+j] && r.forbidden[j*p+i]
}

// joined reports whether i and j are known to be adjacent.
func (r *rules) joined(i, j int) bool {
	p := len(r.names)
	return r.required[i*p+j] || r.required[j*p+i]
}

// known reports whether an edge of i and j can only be i -> j.
func (r *rules) known(i, j int) bool {
	p := len(r.names)
	return r.required[i*p+j] || r.forbidden[j*p+i]
}

// mayHold reports whether k may be in a separating set of i and j. If i and j are not adjacent, the
// parents of one of them separate them, and these are in no tier later than both.
func (r *rules) mayHold(k, i, j int) bool {
	return r.tier[k] < 0 || r.tier[i] < 0 || r.tier[j] < 0 ||
		r.tier[k] <= max(r.tier[i], r.tier[j])
}
