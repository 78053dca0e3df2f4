package summary

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"bayeskernel/bke"
	"bayeskernel/bke/inputs"
	"bayeskernel/internal/fused"
	"bayeskernel/internal/rows"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// PlanOptions say which plan is wanted. The zero value but for Columns is the default.
type PlanOptions struct {
	Columns     []string
	Standardize bool   // divide each column by its sd in the pilot
	Called      string // how the program calls that
	Inputs      inputs.Options
	Model       bke.Options
	// Thetas are the centres of the windows; nil means the modes in the pilot.
	Thetas []float64
	Bins   int   // 0 means 256
	Keep   int   // about how many rows a summary keeps; 0 means 10000
	Rows   int64 // how many rows there will be; 0 means as many as the pilot has seen
	// All, if not nil, are all rows: pseudo-inputs and sds are then those of all of them, as in
	// bke.Learn, and not of the pilot.
	All mat.Matrix
}

const (
	defaultBins = 256
	defaultKeep = 10000
	// cycles is how many times the blocks of a typical chunk go around the bins, so that these have
	// nearly equal numbers of rows.
	cycles     = 4
	leastBlock = 64

	leastHalf  = 0.0862 // half a window in log theta, 9%
	leastNodes = 24     // points of such a window; in proportion where it is wider
	mostWindow = 160
	// heldNodes are those of the narrow windows that rows that are held allow. The error of interpolation
	// in N points of a window of half width h is about exp(-sqrt(pi N/h)) a row.
	heldNodes   = 8
	robustSDs   = 6 // half a window, in standard deviations of the mode of the pilot
	pilotFolds  = 10
	otherInputs = 8
	// fitRows is how many rows of the pilot are fitted in more columns than package fused has, and where a
	// second fit follows.
	fitRows   = 20000
	nearFirst = 2 // theta of the second fit is within this factor of the modes of the first
	shiftRows = 2048
)

// steps of the lattice in a lengthscale, the smallest, for one column and two.
var latticeSteps = [3]float64{0, 10, 7.1}

// testFactors times the learned lengthscale are those at which samples are compared.
var testFactors = []float64{1, 2, 4, 8}

// planner makes a plan.
type planner struct {
	o PlanOptions
	*Plan
	pilot *Pilot
	x     []float64 // rows of the pilot, in units of SD
	n     int
	fit   *mat.Dense // those that are fitted
	set   *inputs.Set
	all   mat.Matrix // all rows in units of SD, if they are held

	thetas   []float64 // the centres of windows
	fitted   *bke.Fitted
	notes    []string // those of learning
	narrowed bool     // windows around the modes of all rows, though there is one column
}

// mostColumns is the number of columns from which on their relations to each other are too many for a plan.
const mostColumns = 1000

// NewPlan makes a plan from a pilot. With pseudo-inputs given as points and Thetas the pilot may be
// nil; nothing is then known of the rows, and they are not standardized.
func NewPlan(ctx context.Context, pilot *Pilot, o PlanOptions) (*Plan, error) {
	p := &planner{o: o, pilot: pilot, Plan: &Plan{Version: Version, shared: &shared{}, Columns: o.Columns,
		Standardize: o.Called, Seed: o.Inputs.Seed, Tau2: o.Model.Tau2, Eta: o.Model.Eta}}
	if err := p.run(ctx, p.admit, p.scale, p.rule, p.learn, p.windows, p.shifts, p.grid); err != nil {
		return nil, err
	}
	if p.o.All != nil && !p.narrow() {
		kind, err := p.kind()
		if err != nil {
			return nil, err
		}
		if p.expanded(kind, p.hash()) == nil { // a node does cost a kernel value for each row
			p.narrowed, p.shared, p.Notes = true, &shared{}, p.notes
			if err := p.run(ctx, p.windows, p.shifts, p.grid); err != nil {
				return nil, err
			}
		}
	}
	return p.Plan, p.Plan.check()
}

// run takes steps of a plan.
func (p *planner) run(ctx context.Context, steps ...func(context.Context) error) error {
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
		if err := stopped(ctx); err != nil {
			return err
		}
	}
	return nil
}

// stopped reports, in words, that the context has ended.
func stopped(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("summary: the plan stopped before the end: %w", err)
	}
	return nil
}

// admit refuses what cannot be summarised.
func (p *planner) admit(context.Context) error {
	if d := len(p.o.Columns); d > mostColumns {
		return fmt.Errorf("summary: there are %d columns, want at most %d", d, mostColumns)
	}
	o := p.o.Model
	if o.ARD {
		return errors.New("summary: a lengthscale for each column was asked for, want one: windows in " +
			"several lengthscales would be too large a grid")
	}
	if _, se := o.Kernel.(kernels.SE); o.Kernel != nil && !se {
		return fmt.Errorf("summary: kernel is %v, want se", o.Kernel)
	}
	kind, err := fused.Parse(o.Path)
	if err != nil {
		return fmt.Errorf("summary: %w", err)
	}
	p.Path, p.Plan.Nu = kind.String(), o.Nu.String()
	if p.pilot == nil && (p.o.Inputs.Points == nil || p.o.Thetas == nil) {
		return errors.New("summary: there are no rows to make a plan from, want rows, or pseudo-inputs " +
			"with theta")
	}
	if p.o.Inputs.Kind == inputs.HeldOut {
		return errors.New("summary: pseudo-inputs are to be held out, want quantiles or kmeans: rows of a " +
			"pass are not left out")
	}
	for _, t := range p.o.Thetas {
		if !(t > 0) || math.IsInf(t, 1) {
			return fmt.Errorf("summary: theta is %v, want a positive number", t)
		}
	}
	return nil
}

// scale sets the units.
func (p *planner) scale(context.Context) error {
	d := len(p.Columns)
	if d == 0 {
		return errors.New("summary: PlanOptions.Columns names no column, want a name for each")
	}
	if p.pilot != nil {
		p.x = p.pilot.sampleRows()
		p.Plan.Rows = p.pilot.count("")
	} else {
		var err error
		if p.x, _, _, err = rows.Finite("z", p.o.Inputs.Points); err != nil {
			return fmt.Errorf("summary: %w", err)
		}
	}
	if p.o.Rows > 0 {
		p.Plan.Rows = p.o.Rows
	}
	if p.n = len(p.x) / d; p.n < 2 || len(p.x)%d != 0 {
		return fmt.Errorf("summary: there are %d rows to make a plan from, want at least 2", p.n)
	}
	sds := rows.SDs(p.x, d)
	var units *mat.Dense
	if p.all = p.o.All; p.all != nil && p.o.Standardize {
		all, _, _, err := rows.Finite("x", p.o.All) // a copy, for it is divided
		if err != nil {
			return fmt.Errorf("summary: %w", err)
		}
		sds = rows.SDs(all, d)
		units = mat.NewDense(len(all)/d, d, all)
		p.all = units
	}
	for a, sd := range sds {
		lo, hi := rows.Range(p.x, d, a)
		constant := rows.IsConstant(lo, hi, d)
		if constant {
			sd = 1
		}
		p.Centre, p.Scale = append(p.Centre, lo/2+hi/2), append(p.Scale, sd)
		if !p.o.Standardize {
			sd = 1
		}
		p.SD = append(p.SD, sd)
	}
	p.x = slices.Clone(p.x)
	rows.Divide(p.x, p.SD)
	for a := range d {
		lo, hi := rows.Range(p.x, d, a)
		p.Low, p.High = append(p.Low, lo), append(p.High, hi)
	}
	if units != nil {
		rows.Divide(units.RawMatrix().Data, p.SD)
	}
	if plane := rows.Span(p.x, d); !plane.Full() {
		return fmt.Errorf("summary: the columns have %s, want independent ones with sums of rows: leave out columns "+
			"that say nothing new", plane.Finding())
	}
	return nil
}

// learn chooses z and the windows.
func (p *planner) learn(ctx context.Context) error {
	d := p.Dim()
	o := p.o.Inputs
	if o.Points != nil {
		var z mat.Dense
		z.CloneFrom(o.Points)
		for i := range z.RawMatrix().Rows {
			for a, sd := range p.SD {
				z.Set(i, a, z.At(i, a)/sd)
			}
		}
		o.Points, o.Kind = &z, inputs.Given
	}
	all := mat.NewDense(p.n, d, p.x)
	if p.o.Thetas != nil && p.o.Inputs.Points != nil {
		set, err := inputs.Choose(ctx, all, o)
		if err != nil {
			return fmt.Errorf("summary: %w", err)
		}
		p.take(set, p.o.Model.Weight, p.o.Thetas, nil)
		return nil
	}
	held := p.o.All != nil && o.Points == nil // the first fit is then for the number of pseudo-inputs
	keep := p.n
	if d > fused.MaxDim || held {
		keep = min(keep, fitRows)
	}
	p.fit = mat.NewDense(keep, d, p.x[:keep*d])
	fitted, err := p.fitInputs(ctx, all, o)
	if err != nil {
		return err
	}
	if held {
		if d <= fused.MaxDim {
			keep, p.fit = p.n, all
		}
		if fitted, err = p.refit(ctx, fitted); err != nil {
			return err
		}
	}
	p.Notes = append(p.Notes, fitted.Notes...)
	var thetas []float64
	for _, mode := range fitted.Fit.Modes {
		// A mode that is lower in the pilot may be the highest of all rows: differences grow like the
		// number of rows, and vary like its root.
		if fitted.Fit.Modes[0].LogLik-mode.LogLik < 0.5*math.Sqrt(float64(keep)) &&
			len(mode.AtBound) == 0 {
			thetas = append(thetas, mode.Params.Theta[0])
		}
	}
	if p.o.Thetas != nil {
		thetas = p.o.Thetas
	}
	if len(thetas) == 0 {
		return fmt.Errorf("summary: theta has no mode inside its range in %d rows: give theta, or choose "+
			"other pseudo-inputs", keep)
	}
	p.take(fitted.Inputs, fitted.Model.Weight(), thetas, fitted)
	return nil
}

// fitInputs chooses z from all rows of the pilot and fits the model to as many as is bearable.
func (p *planner) fitInputs(ctx context.Context, all *mat.Dense, o inputs.Options) (*bke.Fitted, error) {
	if keep, _ := p.fit.Dims(); p.Dim() > fused.MaxDim && keep < p.n && o.Points == nil {
		set, err := inputs.Choose(ctx, all, o)
		if err != nil {
			return nil, fmt.Errorf("summary: %w", err)
		}
		p.set = set
		o = inputs.Options{Kind: inputs.Given, Points: set.Z}
	}
	fitted, err := bke.Learn(ctx, p.fit, o, p.o.Model, bke.LearnOptions{})
	if err != nil {
		return nil, fmt.Errorf("summary: pilot: %w", err)
	}
	return fitted, nil
}

// refit chooses as many pseudo-inputs from all rows, and fits the model to them and the rows of the pilot:
// with theta near the modes of the first fit, if that has its modes inside.
func (p *planner) refit(ctx context.Context, fitted *bke.Fitted) (*bke.Fitted, error) {
	o := p.o.Inputs
	if p.set == nil {
		p.set = fitted.Inputs
	}
	o.Number = p.set.Asked
	set, err := inputs.Choose(ctx, p.all, o)
	if err != nil {
		return nil, fmt.Errorf("summary: %w", err)
	}
	p.set = set
	near := bke.LearnOptions{}
	for _, mode := range fitted.Fit.Modes {
		theta := mode.Params.Theta[0]
		near.ThetaMin = min(cmp.Or(near.ThetaMin, theta), theta/nearFirst)
		near.ThetaMax = max(near.ThetaMax, theta*nearFirst)
	}
	again := &bke.Fitted{Inputs: set, Notes: fitted.Notes}
	if again.Model, err = bke.NewModelContext(ctx, p.fit, set.Z, p.o.Model); err != nil {
		return nil, fmt.Errorf("summary: pilot: %w", err)
	}
	again.Fit, err = again.Model.Learn(ctx, near)
	before, _ := fitted.Inputs.Z.Dims()
	after, _ := set.Z.Dims()
	elsewhere := err != nil || before != after || slices.ContainsFunc(again.Fit.Modes,
		func(m bke.Mode) bool { return len(m.AtBound) > 0 })
	if elsewhere && ctx.Err() == nil { // other pseudo-inputs than the first: of tied values, say
		again.Fit, err = again.Model.Learn(ctx, bke.LearnOptions{})
	}
	if err != nil {
		return nil, fmt.Errorf("summary: pilot: %w", err)
	}
	return again, nil
}

// take sets z, and what windows are laid around.
func (p *planner) take(set *inputs.Set, weight float64, thetas []float64, fitted *bke.Fitted) {
	if p.set == nil {
		p.set = set
	}
	m, d := set.Z.Dims()
	p.Plan.Kind = p.set.Kind.String()
	if p.Plan.Weight = weight; weight == 0 {
		p.Plan.Weight = 0.9 * float64(d) / float64(m)
	}
	for l := range m {
		p.Z = append(p.Z, mat.Row(nil, l, set.Z))
	}
	p.thetas, p.fitted, p.notes = thetas, fitted, slices.Clip(p.Notes)
}

// windows lays the windows around thetas.
func (p *planner) windows(ctx context.Context) error {
	thetas := slices.Clone(p.thetas)
	p.Windows, p.Tests = nil, nil
	half := make([]float64, len(thetas))
	for i := range half {
		half[i] = leastHalf
	}
	if p.fitted != nil {
		if err := p.reach(ctx, half, thetas, p.fitted); err != nil {
			return err
		}
	}
	type span struct{ from, to, centre float64 }
	var list []span
	for i, t := range thetas {
		u := math.Log(t)
		list = append(list, span{u - half[i], u + half[i], u})
	}
	slices.SortFunc(list, func(a, b span) int {
		if a.from < b.from {
			return -1
		}
		return 1
	})
	joined := list[:1]
	for _, s := range list[1:] {
		if last := &joined[len(joined)-1]; s.from <= last.to+0.01 {
			last.to = max(last.to, s.to)
		} else {
			joined = append(joined, s)
		}
	}
	for _, s := range joined {
		count, least := int(math.Ceil(leastNodes*(s.to-s.from)/2/leastHalf/2-1e-9))*2, leastNodes
		if p.narrow() {
			least = heldNodes
		}
		if count > mostWindow {
			return fmt.Errorf("summary: theta is so uncertain in the pilot that its window goes from %.4g to "+
				"%.4g, want one that %d points are enough for: use more rows", math.Exp(s.from),
				math.Exp(s.to), mostWindow)
		}
		p.Windows = append(p.Windows, Window{From: s.from, To: s.to,
			Nodes: chebyshevNodes(s.from, s.to, max(count, least))})
	}
	for _, f := range testFactors {
		p.Tests = append(p.Tests, Node{Theta: thetas[0] * f, Rung: f})
	}
	return nil
}
