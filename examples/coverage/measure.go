package main

import (
	"context"
	"math"
	"slices"

	"bayeskernel/bke"
	"bayeskernel/embedding"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// region is what is measured on one part of the points, of one data set.
type region struct {
	Points  int     `json:"points"`
	Mu      float64 `json:"mu"`      // share on which the band covers the embedding of P
	Witness float64 `json:"witness"` // and the witness
	Width   float64 `json:"width"`   // mean for P, over that of the central limit theorem
	SD      float64 `json:"sd"`      // mean sd for P, times the rows of P
}

// result is what is measured on one data set.
type result struct {
	Case    string            `json:"case"`
	Set     int               `json:"set"`
	Theta   float64           `json:"theta"`
	Tau2    float64           `json:"tau2"`
	Regions map[string]region `json:"regions"`
}

const (
	level = 0.8
	half  = 1.2815515655446004 // of an interval of that level, in standard deviations
)

// Of names the case and the data set.
func (r result) Of() (string, int) { return r.Case, r.Set }

// measure learns theta and tau2, and compares the bands at these with the truth at the same theta.
func (c problem) measure(ctx context.Context, seed uint64, set int) (result, error) {
	x, y := c.samples(seed, set)
	var pooled mat.Dense
	pooled.Stack(x, y)
	fitted, err := bke.Learn(ctx, &pooled, bke.InputOptions{Seed: seed},
		bke.Options{Path: "portable"}, bke.LearnOptions{Priors: &bke.Priors{}})
	if err != nil {
		return result{}, err
	}
	best := fitted.Fit.Modes[0].Params
	out := result{Case: c.name, Set: set, Theta: best.Theta[0], Tau2: best.Tau2,
		Regions: map[string]region{}}
	for name, points := range c.regions(&pooled, best.Theta[0]) {
		if points == nil {
			continue
		}
		if out.Regions[name], err = c.at(ctx, fitted.Model, best, x, y, points); err != nil {
			return result{}, err
		}
	}
	return out, nil
}

// regions are the parts of the points: of 200 over the range of one column those in the central 95%
// of the data and those outside; of more columns 200 of the rows; and of a grid over two columns
// the points with a row within theta and those without.
func (c problem) regions(pooled *mat.Dense, theta float64) map[string]*mat.Dense {
	n, dim := pooled.Dims()
	out := map[string]*mat.Dense{}
	if dim == 1 {
		v := mat.Col(nil, 0, pooled)
		slices.Sort(v)
		lo, hi := v[n/40], v[n-1-n/40]
		out["centre"], out["outside"] = split(embedding.Grid(200, pooled), func(t []float64) bool {
			return t[0] >= lo && t[0] <= hi
		})
		return out
	}
	step := max(1, n/200)
	rows := mat.NewDense(n/step, dim, nil)
	for i := range n / step {
		rows.SetRow(i, pooled.RawRowView(i*step))
	}
	out["rows"] = rows
	if c.plane {
		out["grid, inside"], out["grid, outside"] = split(embedding.Grid(40, pooled),
			func(t []float64) bool {
				for i := range n {
					d := pooled.RawRowView(i)
					if math.Hypot(d[0]-t[0], d[1]-t[1]) < theta {
						return true
					}
				}
				return false
			})
	}
	return out
}

// split returns the points inside and those outside, nil for none.
func split(points *mat.Dense, inside func(t []float64) bool) (in, out *mat.Dense) {
	n, dim := points.Dims()
	var parts [2][]float64
	for i := range n {
		k := 1
		if inside(points.RawRowView(i)) {
			k = 0
		}
		parts[k] = append(parts[k], points.RawRowView(i)...)
	}
	dense := func(v []float64) *mat.Dense {
		if v == nil {
			return nil
		}
		return mat.NewDense(len(v)/dim, dim, v)
	}
	return dense(parts[0]), dense(parts[1])
}

// standardError is that of the mean of k(X, t) over the rows of x, by the central limit theorem.
func standardError(x *mat.Dense, t []float64, theta float64) float64 {
	n, _ := x.Dims()
	k := make([]float64, n)
	for i := range k {
		d := floats.Distance(x.RawRowView(i), t, 2) / theta
		k[i] = math.Exp(-d * d / 2)
	}
	return stat.StdDev(k, nil) / math.Sqrt(float64(n))
}

// at measures at some points.
func (c problem) at(ctx context.Context, m *bke.Model, h bke.Params, x, y, points *mat.Dense) (region, error) {
	e, err := embedding.New(m, embedding.Sample{X: x}, h, embedding.Options{})
	if err != nil {
		return region{}, err
	}
	mean, sd, err := e.At(points)
	if err != nil {
		return region{}, err
	}
	w, err := embedding.NewWitness(m, embedding.Sample{X: x}, embedding.Sample{X: y},
		[]bke.Params{h}, embedding.Options{})
	if err != nil {
		return region{}, err
	}
	post, err := w.At(ctx, points)
	if err != nil {
		return region{}, err
	}
	band, err := post.Band(level)
	if err != nil {
		return region{}, err
	}
	out := region{Points: len(mean)}
	n, widths, plain := float64(c.np), 0.0, 0.0
	theta := slices.Repeat(h.Theta[:1], c.p.Dim)
	for j := range mean {
		t := points.RawRowView(j)
		mu, nu := c.p.Embedding(t, theta), c.q.Embedding(t, theta)
		if math.Abs(mean[j]-mu) <= half*sd[j] {
			out.Mu++
		}
		if f := mu - nu; band.Lower[j] <= f && f <= band.Upper[j] {
			out.Witness++
		}
		widths += sd[j]
		plain += standardError(x, t, h.Theta[0])
	}
	points64 := float64(len(mean))
	out.Mu, out.Witness = out.Mu/points64, out.Witness/points64
	out.Width, out.SD = widths/plain, widths/points64*n
	if math.IsInf(out.Width, 0) || out.Width > 1e6 {
		out.Width = 1e6 // no row is near
	}
	return out, nil
}
