package study

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/bke"
	"bayeskernel/cmd/internal/cli"
)

// dearPass is the smallest work nmD² of a pass, with n rows, m pseudo-inputs and D columns, at which chains use a
// table instead: some ten microseconds, about as long as the table takes to be read.
const dearPass = 1e4

// DearStart is the smallest work of a pass at which chains start near the modes already found.
// There they are inside the table and need no pass. Reaching the table from elsewhere takes some
// hundred passes.
const DearStart = 5e6

// PassWork is the work of a pass over the rows.
func (s *Study) PassWork() float64 {
	dim := s.Model.Dim()
	return float64(s.Model.N()) * float64(s.Model.M()) * float64(dim*dim)
}

// Tabulate builds the tables that chains interpolate in: of what the covariance of many pseudo-inputs gives, and of sums
// over the rows as functions of theta, if a pass over the rows is expensive. The latter extends from the best mode by 12
// posterior sds of log theta and a factor of at least 4, or at least 1.25 if that is too much. A run needs thousands of
// passes, a table a few dozen. Chains that start outside the table pass over the rows
// until they reach it (see DearStart).
func (s *Study) Tabulate(ctx context.Context, con *cli.Console) error {
	if s.Flags.Ard {
		return nil
	}
	line := con.Working("tables for the chains")
	defer line.End()
	if err := s.tabulateSums(ctx); err != nil || s.Model.M() < dearInputs {
		return err
	}
	return s.tabulateCovariance(ctx)
}

// dearInputs is the number of pseudo-inputs, and so the size of their covariance, from which on chains take what it
// gives from a table.
const dearInputs = 24

// tabulateCovariance builds a table of what the covariance of the pseudo-inputs gives, as far around the best mode as
// chains go.
func (s *Study) tabulateCovariance(ctx context.Context) error {
	best := s.Fit.Modes[0]
	h := best.Hessian
	if len(h) != 2 || best.Params.Tau2 <= 0 {
		return nil
	}
	det := h[0][0]*h[1][1] - h[0][1]*h[1][0]
	if !(det > 0 && h[0][0] < 0) {
		return nil
	}
	for _, sds := range []float64{12, 7} {
		u, v := math.Exp(sds*math.Sqrt(-h[1][1]/det)), math.Exp(sds*math.Sqrt(-h[0][0]/det))
		theta, tau2 := best.Params.Theta[0], best.Params.Tau2
		b := bke.Box{ThetaMin: theta / u, ThetaMax: theta * u, Tau2Min: tau2 / v, Tau2Max: tau2 * v}
		if !(b.ThetaMin > 0) || math.IsInf(b.ThetaMax, 1) || !(b.Tau2Min > 0) || math.IsInf(b.Tau2Max, 1) {
			continue
		}
		ok, err := s.Model.TabulateCovariance(ctx, b)
		if ok {
			s.Notes = append(s.Notes, fmt.Sprintf("So they do with what the covariance of the pseudo-inputs gives, for theta "+
				"between %.3g and %.3g and tau2 between %.3g and %.3g.", b.ThetaMin, b.ThetaMax, b.Tau2Min, b.Tau2Max))
			if !s.Tabulated {
				s.Notes[len(s.Notes)-1] = fmt.Sprintf("To save time the chains interpolate what the covariance of the pseudo-inputs "+
					"gives to the log density, for theta between %.3g and %.3g and tau2 between %.3g and %.3g: it is off by less "+
					"than 1e-7.", b.ThetaMin, b.ThetaMax, b.Tau2Min, b.Tau2Max)
			}
		}
		if ok || err != nil {
			return err
		}
	}
	return nil
}

// tabulateSums builds the table of sums.
func (s *Study) tabulateSums(ctx context.Context) error {
	if s.PassWork() < dearPass {
		return nil
	}
	best := s.Fit.Modes[0]
	for _, factor := range []float64{4, 1.25} {
		width := math.Log(factor)
		if h := -best.Hessian[0][0]; h > 0 {
			width = min(max(width, 12/math.Sqrt(h)), math.Log(100))
		}
		from, to := best.Params.Theta[0]*math.Exp(-width), best.Params.Theta[0]*math.Exp(width)
		ok, err := s.Model.Tabulate(ctx, from, to)
		if ok {
			s.Tabulated = true
			s.Notes = append(s.Notes, fmt.Sprintf("To save time the chains interpolate sums over the "+
				"rows in theta, between %.3g and %.3g: the log density is off by less than 1e-7.", from,
				to))
		}
		if ok || err != nil {
			return err
		}
	}
	return nil
}
