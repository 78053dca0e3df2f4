package sample

import (
	"bayeskernel/cmd/internal/report"
	"io"
	"math"
	"slices"
	"strconv"
)

// witnessSummary describes the witness, or the embedding of one sample.
type witnessSummary struct {
	Kind      string          `json:"kind" doc:"witness for two samples, embedding for one."`
	Scale     string          `json:"scale" doc:"The scale at which it is drawn: test, other or paper."`
	Kernel    string          `json:"kernel" doc:"The radial kernel, as -kernel names it."`
	Theta     []report.Number `json:"theta" doc:"The lengthscales at which it is drawn: geometric means over the draws."`
	Rung      report.Number   `json:"rung" doc:"The lengthscale over the one that was sampled; 0 if none was sampled."`
	Noise     string          `json:"noise" doc:"The noise of the observed embeddings: clt or iid."`
	Level     report.Number   `json:"level" doc:"The level of the band at each point."`
	Points    int             `json:"points" doc:"The number of points at which it is drawn."`
	Functions int             `json:"functions" doc:"The number of functions that were drawn from the posterior."`
	Share     report.Number   `json:"share_excluding_zero" doc:"The share of the points at which the band of each point excludes 0."`
	SimLevel  report.Number   `json:"simultaneous_level" doc:"The level of the band that holds at all points at once."`
	MMD2      mmd2Record      `json:"mmd2" doc:"The posterior of the squared norm of the witness."`
	Strongest *strongPoint    `json:"strongest" doc:"Where the witness is furthest from 0; null if there is no such place."`
}

type mmd2Record struct {
	Mean report.Number `json:"mean" doc:"The mean."`
	Q05  report.Number `json:"q05" doc:"The 5% quantile."`
	Q50  report.Number `json:"q50" doc:"The median."`
	Q95  report.Number `json:"q95" doc:"The 95% quantile."`
}

type strongPoint struct {
	At   []report.Number `json:"at" doc:"The point, in the units of the columns."`
	More string          `json:"more" doc:"The sample of which there is more there, by its name in samples."`
	SDs  report.Number   `json:"sds" doc:"How many posterior standard deviations from 0 the witness is there."`
}

// witnessRecord is the part of summary.json on the witness; nil if there is none.
func witnessRecord(s *shown) *witnessSummary {
	w := s.witness()
	if w == nil {
		return nil
	}
	r := &witnessSummary{Kind: "witness", Scale: s.Scale, Kernel: w.Kernel,
		Theta: report.Numbers(w.Theta), Rung: report.Number(w.Scale.Rung), Noise: s.Noise,
		Level: report.Number(w.Band.Level), Points: len(w.Shown.Mean),
		Share: report.Number(w.Band.Share()), SimLevel: report.Number(w.Everywhere.Level)}
	r.Functions, _ = w.Functions.Values.Dims()
	mmd := w.Functions.MMD2(nil)
	for _, v := range mmd {
		r.MMD2.Mean += report.Number(v / float64(len(mmd)))
	}
	slices.Sort(mmd)
	at := func(p float64) report.Number {
		return report.Number(mmd[int(p*float64(len(mmd)-1)+0.5)])
	}
	r.MMD2.Q05, r.MMD2.Q50, r.MMD2.Q95 = at(0.05), at(0.5), at(0.95)
	if s.One != nil {
		r.Kind = "embedding"
	} else if p := w.Strongest; p.At != nil {
		r.Strongest = &strongPoint{report.Numbers(p.At), p.More, report.Number(p.Strength)}
	}
	return r
}

// writeWitness writes the witness as CSV, one row per point.
func (r *sampled) writeWitness(out io.Writer) error {
	w := r.Shown.witness()
	var b []byte
	for _, c := range r.Study.Data.Columns {
		b = append(b, report.CSV(c)...)
		b = append(b, ',')
	}
	b = append(b, "mean,sd,lower,upper,"...)
	together := len(w.Axes) != 2 // the points of the statement about all points are these
	if together {
		b = append(b, "simultaneous_lower,simultaneous_upper,"...)
	}
	b = append(b, "prob_positive,excludes_zero\n"...)
	f, positive, excludes := w.Shown, w.Shown.Positive(), w.Band.Excludes()
	for j := range f.Mean {
		row := append(slices.Clone(f.Points.RawRowView(j)), f.Mean[j], f.SD[j], w.Band.Lower[j],
			w.Band.Upper[j])
		if together {
			row = append(row, w.Everywhere.Lower[j], w.Everywhere.Upper[j])
		}
		for _, v := range append(row, positive[j]) {
			if !math.IsInf(v, 0) {
				b = strconv.AppendFloat(b, v, 'g', -1, 64)
			}
			b = append(b, ',')
		}
		b = append(strconv.AppendInt(b, int64(excludes[j]), 10), '\n')
	}
	_, err := out.Write(b)
	return err
}
