package bke

import (
	"bayeskernel/internal/fused"
	"bayeskernel/internal/workers"

	"gonum.org/v1/gonum/floats"
)

// gramPass computes the sums for data of two or three dimensions in one pass over all pairs. It
// sums the matrix G of each row and takes its determinant. Rows where that would lose digits are
// left to package logdet.
type gramPass struct {
	model *Model
	sums
	theta  []float64
	grad   bool
	shift  []float64 // the same for all blocks, so that their sums can be added
	parts  []*gramBlock
	blocks *workers.Blocks
}

// gramBlock has the sums over one block of rows.
type gramBlock struct {
	raw   *fused.Gram
	rows  *rowBlock // for one row
	first int
	grad  bool
	_     [gap]byte
}

func newGramPass(model *Model) *gramPass {
	p := &gramPass{
		model: model, sums: newSums(model.m, model.thetas()), shift: make([]float64, model.m),
	}
	p.split(fusedRows(model.n, model.m, model.dim))
	return p
}

// split makes the workspaces for blocks of the given number of rows.
func (p *gramPass) split(rows int) {
	p.blocks = workers.NewBlocks(p.model.n, rows, p.block)
	p.parts = p.parts[:0]
	for range p.blocks.Count() {
		b := &gramBlock{rows: newRowBlock(p.model, p.shift)}
		b.raw = fused.NewGram(p.model.dim, p.model.m, p.model.opts.ARD, b.one)
		p.parts = append(p.parts, b)
	}
}

func (p *gramPass) block(b, first, last int) {
	mod, part := p.model, p.parts[b]
	part.first, part.grad = first, p.grad
	part.rows.setTheta(p.theta)
	x := mod.x[first*mod.dim : last*mod.dim]
	part.raw.Run(mod.path, x, mod.z, p.shift, p.theta)
}

// one returns log det G of one row of the block, and adds sum_l h_l q_al to trace.
func (b *gramBlock) one(i int, trace []float64) (logDet float64) {
	s := b.rows
	logDet = 2 * s.load(b.first+i, b.grad)
	if b.grad {
		clear(s.dlog)
		s.addLeverages()
		floats.Add(trace, s.dlog)
	}
	return logDet
}

func (p *gramPass) run(theta []float64, grad bool) *sums {
	mod := p.model
	shiftsOf(p.shift, mod, theta)
	p.theta, p.grad = theta, grad
	p.blocks.Run()
	raw := p.parts[0].raw
	for _, b := range p.parts[1:] {
		floats.Add(raw.C, b.raw.C)
		floats.Add(raw.F, b.raw.F)
		for a := range raw.KQ {
			floats.Add(raw.KQ[a], b.raw.KQ[a])
			floats.Add(raw.FQ[a], b.raw.FQ[a])
		}
		floats.Add(raw.Trace, b.raw.Trace)
		raw.LogDet += b.raw.LogDet
	}
	n := float64(mod.n)
	p.fromShifts(p.shift, n, raw.C, raw.F)
	for a, trace := range raw.Trace {
		p.derivativeFromShifts(a, n, 1, raw.C, raw.KQ[a], raw.FQ[a])
		p.dlog[a] = trace - 2*n*float64(mod.dim/len(theta))
	}
	p.logGamma = raw.LogDet/2 - mod.logThetas(theta)
	return &p.sums
}
