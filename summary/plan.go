package summary

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"bayeskernel/bke"
	"bayeskernel/internal/fused"
)

// Version is that of plans and summaries. Others are refused.
const Version = 1

// Plan fixes all that has to be known before the pass over the rows. Its JSON is its file; two
// summaries can be merged if theirs is the same to the byte.
type Plan struct {
	Version int      `json:"version"`
	Columns []string `json:"columns"`
	// Path is the numerical path; summaries of another are refused. "portable" runs anywhere.
	Path string `json:"path"`
	// SD divides each column; ones where nothing is standardized.
	SD []float64 `json:"sd"`
	// Standardize says how: none, prior or columns, as the program calls them.
	Standardize string `json:"standardize,omitempty"`
	// Z are the pseudo-inputs, in units of SD, and Kind where they come from.
	Z    [][]float64 `json:"z"`
	Kind string      `json:"kind"`
	Seed uint64      `json:"seed"`
	// Weight of the Gaussian part, Nu, and what is fixed, as in bke.Options.
	Weight float64 `json:"weight"`
	Nu     string  `json:"nu"`
	Tau2   float64 `json:"tau2,omitempty"`
	Eta    float64 `json:"eta,omitempty"`

	Windows []Window `json:"windows"` // apart, in increasing order
	// Tests are the lengthscales at which tests compare samples.
	Tests []Node `json:"tests"`
	// Centre and Scale of each column, for moments.
	Centre []float64 `json:"centre"`
	Scale  []float64 `json:"scale"`
	// Low and High are the range of the rows that the plan was made from, in units of SD. They say
	// where sums of rows of one column are fast.
	Low  []float64 `json:"low,omitempty"`
	High []float64 `json:"high,omitempty"`
	// Lattice is where rows are spread, nil in more than two columns.
	Lattice *Lattice `json:"lattice,omitempty"`

	Bins  int `json:"bins"`
	Block int `json:"block"` // rows of a block, at most 4096
	// Keep is the share of the rows that a summary keeps as they are: those with a priority below.
	Keep uint64 `json:"keep_below"`
	// Rows is how many rows the plan was made for, 0 if that is not known.
	Rows int64 `json:"rows,omitempty"`
	// SDInputs is the standard deviation of log theta over other pseudo-inputs of the same kind, 0 if
	// it is not known.
	SDInputs float64  `json:"sd_inputs,omitempty"`
	Notes    []string `json:"notes,omitempty"`

	shared *shared // nil where each summary has its own
}

// Window is a range of log theta, with Chebyshev points.
type Window struct {
	From  float64 `json:"from"`
	To    float64 `json:"to"`
	Nodes []Node  `json:"nodes"`
}

// Node is one lengthscale, with a number near the mean of k(X, z_l) for each pseudo-input: sums are
// taken of the difference, so that no digits are lost.
type Node struct {
	Theta float64   `json:"theta"`
	Rung  float64   `json:"rung,omitempty"` // of a test: theta over the learned one
	Shift []float64 `json:"shift"`
}

// mostBlock is the largest number of rows in a block.
const mostBlock = 4096

// Dim returns the number of columns.
func (p *Plan) Dim() int { return len(p.SD) }

// M returns the number of pseudo-inputs.
func (p *Plan) M() int { return len(p.Z) }

// nodes returns the number of nodes in all windows.
func (p *Plan) nodes() int {
	n := 0
	for _, w := range p.Windows {
		n += len(w.Nodes)
	}
	return n
}

// flat returns the pseudo-inputs one after the other.
func (p *Plan) flat() []float64 {
	var z []float64
	for _, row := range p.Z {
		z = append(z, row...)
	}
	return z
}

// MarshalBytes returns the plan as it is written to a file.
func (p *Plan) MarshalBytes() ([]byte, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	b, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("summary: %w", err)
	}
	return append(b, '\n'), nil
}

// ParsePlan reads what MarshalBytes wrote.
func ParsePlan(b []byte) (*Plan, error) {
	if bytes.HasPrefix(b, []byte(magic)) {
		return nil, errors.New("summary: this is a summary, want a plan")
	}
	p := &Plan{shared: &shared{}}
	if err := json.Unmarshal(b, p); err != nil {
		return nil, fmt.Errorf("summary: plan cannot be read: %w", err)
	}
	return p, p.check()
}

// hash identifies the plan.
func (p *Plan) hash() string {
	b, err := json.Marshal(p)
	if err != nil { // numbers that are not finite, which check refuses
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// The largest plan that is believed: a summary has a number for each bin, node and pseudo-input.
const (
	mostNodes = 1024
	mostBins  = 4096
	mostSums  = 1 << 24 // a quarter of a gigabyte
	mostCells = 1 << 22
)

// check refuses plans with which nothing can be computed.
func (p *Plan) check() error {
	if p.Version != Version {
		return fmt.Errorf("summary: plan is of version %d, want %d", p.Version, Version)
	}
	d, m := p.Dim(), p.M()
	switch {
	case d == 0 || len(p.Columns) != d || len(p.Centre) != d || len(p.Scale) != d:
		return fmt.Errorf("summary: plan has %d columns with %d sds, %d centres and %d scales, want one "+
			"for each", len(p.Columns), d, len(p.Centre), len(p.Scale))
	case m <= d:
		return fmt.Errorf("summary: plan has %d pseudo-inputs, want at least %d", m, d+1)
	case p.Bins < 2 || p.Bins > mostBins:
		return fmt.Errorf("summary: plan has %d bins, want 2 to %d", p.Bins, mostBins)
	case p.Block < 1 || p.Block > mostBlock:
		return fmt.Errorf("summary: plan has blocks of %d rows, want 1 to %d", p.Block, mostBlock)
	case len(p.Windows) == 0 || p.nodes() > mostNodes || len(p.Tests) > mostNodes:
		return fmt.Errorf("summary: plan has %d windows with %d nodes, want at least one and at most %d "+
			"nodes", len(p.Windows), p.nodes(), mostNodes)
	case float64(p.nodes()+len(p.Tests))*float64(m+2)*float64(p.Bins) > mostSums:
		return fmt.Errorf("summary: plan has %d sums of %d bins, want fewer: use fewer pseudo-inputs or "+
			"bins", (p.nodes()+len(p.Tests))*(m+2), p.Bins)
	}
	for _, list := range [][]float64{p.SD, p.Scale} {
		for _, v := range list {
			if !(v > 0) || math.IsInf(v, 1) {
				return fmt.Errorf("summary: scale of a column is %v, want a positive number", v)
			}
		}
	}
	if n := len(p.Low); n != 0 && n != d || len(p.High) != n {
		return fmt.Errorf("summary: plan has %d columns with the range of %d, want one for each", d, n)
	}
	for a, lo := range p.Low {
		if hi := p.High[a]; !(lo <= hi) || math.IsInf(hi-lo, 1) {
			return fmt.Errorf("summary: range of a column is %v to %v, want it to be one", lo, hi)
		}
	}
	for _, z := range p.Z {
		if len(z) != d {
			return fmt.Errorf("summary: pseudo-input has %d columns, want %d", len(z), d)
		}
	}
	if err := p.checkNodes(); err != nil {
		return err
	}
	if p.Lattice != nil {
		return p.Lattice.check(d)
	}
	return nil
}

func (p *Plan) checkNodes() error {
	last := math.Inf(-1)
	all := append([]Node(nil), p.Tests...)
	for _, w := range p.Windows {
		if !(w.From > last && w.To > w.From) || math.IsInf(w.To, 1) || len(w.Nodes) < 4 {
			return fmt.Errorf("summary: window of log theta goes from %v to %v with %d nodes, want an "+
				"increasing range and at least 4", w.From, w.To, len(w.Nodes))
		}
		last = w.To
		all = append(all, w.Nodes...)
	}
	for _, n := range all {
		if !(n.Rung >= 0) || math.IsInf(n.Rung, 1) {
			return fmt.Errorf("summary: rung of a test is %v, want a positive number", n.Rung)
		}
		if !(n.Theta > 0) || math.IsInf(n.Theta, 1) || len(n.Shift) != p.M() {
			return fmt.Errorf("summary: node has theta %v with %d shifts, want a positive number with %d",
				n.Theta, len(n.Shift), p.M())
		}
		for _, t := range n.Shift {
			if !(t >= 0 && t <= 1) {
				return fmt.Errorf("summary: shift of a kernel value is %v, want it between 0 and 1", t)
			}
		}
	}
	return nil
}

// kind returns the numerical path, which this machine must have.
func (p *Plan) kind() (fused.Kind, error) {
	k, err := fused.Parse(p.Path)
	if err != nil || p.Path == "" || p.Path == "auto" {
		return 0, fmt.Errorf("summary: plan is for the numerical path %q, which this machine has not: "+
			"make it with the path portable", p.Path)
	}
	return k, nil
}

// Options are those of the model that the plan was made for.
func (p *Plan) Options() (bke.Options, error) {
	o := bke.Options{Weight: p.Weight, Tau2: p.Tau2, Eta: p.Eta, Path: p.Path}
	for nu := bke.Unit; nu <= bke.Gaussian; nu++ {
		if nu.String() == p.Nu {
			o.Nu = nu
			return o, nil
		}
	}
	return o, fmt.Errorf("summary: nu of the plan is %q, want unit, lebesgue or gaussian", p.Nu)
}

// Inside reports whether theta is in a window, and the window that is nearest.
func (p *Plan) nearest(logTheta float64) (w *Window, inside bool) {
	far := math.Inf(1)
	for i := range p.Windows {
		v := &p.Windows[i]
		d := max(v.From-logTheta, logTheta-v.To, 0)
		if d < far {
			w, far = v, d
		}
	}
	return w, far == 0
}

// chebyshevNodes returns the nodes of a window, without shifts.
func chebyshevNodes(from, to float64, count int) []Node {
	nodes := make([]Node, count)
	for j := range nodes {
		x := math.Cos(math.Pi * float64(j) / float64(count-1))
		nodes[j].Theta = math.Exp((from+to)/2 + (to-from)/2*x)
	}
	return nodes
}
