package study

import (
	"fmt"
	"slices"
	"strings"

	"bayeskernel/bke"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/draws"
)

// ModelRecord describes the data and the model.
type ModelRecord struct {
	Description  string            `json:"description" doc:"The data and the model in one line."`
	Source       string            `json:"source" doc:"The files, in words."`
	Synthetic    bool              `json:"synthetic" doc:"Whether the data are those of the example."`
	DataHash     string            `json:"data_hash" doc:"Tells data sets apart."`
	Columns      []string          `json:"columns" doc:"The names of the columns that are data."`
	Samples      []SampleRecord    `json:"samples" doc:"The samples, P before Q."`
	N            int               `json:"n" doc:"The number of rows in the likelihood."`
	D            int               `json:"d" doc:"The number of columns."`
	Rank         int               `json:"rank" doc:"The rank of the data."`
	Kernel       string            `json:"kernel" doc:"The radial kernel, as -kernel names it."`
	Path         string            `json:"path" doc:"The code that computed exponentials."`
	M            int               `json:"m" doc:"The number of pseudo-inputs."`
	Inputs       string            `json:"inputs" doc:"Where the pseudo-inputs come from."`
	Z            [][]report.Number `json:"z" doc:"The pseudo-inputs, in the units of the data."`
	Weight       report.Number     `json:"weight" doc:"The weight of the pseudolikelihood."`
	Nu           string            `json:"nu" doc:"The measure nu of the prior: unit, lebesgue or gaussian."`
	ARD          bool              `json:"ard" doc:"Whether each column has a lengthscale of its own."`
	Tau2         report.Number     `json:"tau2_fixed" doc:"The value at which tau2 was fixed; 0 if it is free."`
	Eta          report.Number     `json:"eta_fixed" doc:"The value at which eta was fixed; 0 if it is free."`
	ThetaMin     report.Number     `json:"theta_min" doc:"The lower bound of the lengthscales; 0 if there is none."`
	ThetaMax     report.Number     `json:"theta_max" doc:"The upper bound of the lengthscales; 0 if there is none."`
	PriorTheta   string            `json:"prior_theta" doc:"The prior of theta over theta_scale."`
	ThetaScale   report.Number     `json:"theta_scale" doc:"The scale of the prior of theta."`
	PriorTau2    string            `json:"prior_tau2" doc:"The prior of tau2."`
	PriorEta     string            `json:"prior_eta" doc:"The prior of eta."`
	Standardize  string            `json:"standardize" doc:"How columns and priors were scaled: none, prior or columns."`
	ColumnScales []report.Number   `json:"column_scales" doc:"What the columns were divided by; empty if they were not."`
	// ThetaColumns is the posterior mean of the lengthscale of each column in the units of the
	// data.
	ThetaColumns []report.Number `json:"theta_columns" doc:"The posterior mean of the lengthscale in the units of each column."`
	PooledSD     report.Number   `json:"pooled_sd" doc:"The standard deviation of all rows together."`
}

// SampleRecord is a sample.
type SampleRecord struct {
	Name string `json:"name" doc:"What the sample is called."`
	Rows int    `json:"rows" doc:"The number of its rows."`
}

// ModeRecord is a mode of the posterior on the original scales.
type ModeRecord struct {
	Theta   []report.Number `json:"theta" doc:"The lengthscales, in the units in which the kernel works."`
	Tau2    report.Number   `json:"tau2" doc:"The variance tau2 of the prior of the embedding."`
	Eta     report.Number   `json:"eta" doc:"The scale eta of nu; 0 where it is not used."`
	Value   report.Number   `json:"value" doc:"The log of the density that was maximised."`
	LogLik  report.Number   `json:"log_pseudolikelihood" doc:"The log pseudolikelihood."`
	LogMass report.Number   `json:"log_mass" doc:"The log of the mass around the mode, by Laplace's approximation."`
}

// NewModelRecord describes the data and the model of a study.
func NewModelRecord(s *Study) ModelRecord {
	_, dim := s.All.Dims()
	m := ModelRecord{Description: s.Describe(), Source: s.Data.Source, Synthetic: s.Data.Synthetic,
		DataHash: s.Data.Identity(), Columns: s.Data.Columns, N: s.Model.N(), D: dim,
		Rank: s.Model.Rank(), Kernel: s.Radial.String(), Path: s.Model.Path(), M: s.Model.M(),
		Inputs: s.whence(), Weight: report.Number(s.Model.Weight()),
		Nu: s.Flags.Nu, ARD: s.Flags.Ard, Tau2: report.Number(s.Flags.Tau2), Eta: report.Number(s.Flags.Eta),
		ThetaMin: report.Number(s.Flags.ThetaMin), ThetaMax: report.Number(s.Flags.ThetaMax),
		PriorTheta: s.Flags.Theta, ThetaScale: report.Number(s.ScaleOfTheta()),
		PriorTau2: s.Flags.Tau2Prior, PriorEta: s.Flags.EtaPr, Standardize: s.Standardize,
		PooledSD: report.Number(s.Model.PooledSD()), ColumnScales: []report.Number{}}
	if s.Scaling != nil {
		m.ColumnScales = report.Numbers(s.Scaling.SD)
	}
	p, q := s.Data.Rows()
	m.Samples = []SampleRecord{{s.Data.PName, p}}
	if s.Data.Q != nil {
		m.Samples = append(m.Samples, SampleRecord{s.Data.QName, q})
	}
	k, _ := s.Inputs.Z.Dims()
	for l := range k {
		z := make([]report.Number, dim)
		for a := range z {
			z[a] = report.Number(s.Inputs.Z.At(l, a))
			if s.Scaling != nil {
				z[a] *= report.Number(s.Scaling.SD[a])
			}
		}
		m.Z = append(m.Z, z)
	}
	return m
}

// ModeRecords are the modes of the fit.
func (s *Study) ModeRecords() []ModeRecord {
	out := []ModeRecord{}
	for _, m := range s.Fit.Modes {
		out = append(out, ModeRecord{Theta: report.Numbers(m.Params.Theta), Tau2: report.Number(m.Params.Tau2),
			Eta: report.Number(m.Params.Eta), Value: report.Number(m.Value), LogLik: report.Number(m.LogLik),
			LogMass: report.Number(m.LogMass)})
	}
	return out
}

// Given says what parameters, draws and -verify are conditional on.
const Given = "these pseudo-inputs (model.z)"

// GivenInputs says that something is conditional on the pseudo-inputs, and how to try others.
func GivenInputs(s *Study, what, hint string) string {
	power := "1/m"
	if k := s.Model.Rank(); k > 1 {
		power = fmt.Sprintf("m^(-1/%d)", k)
	}
	return fmt.Sprintf("%s %d pseudo-inputs (given z). Theta falls roughly like %s as their "+
		"number m grows: %s.", what, s.Model.M(), power, hint)
}

// ModelWarnings converts warnings of the model and the fit to warnings and notes of a run. The
// sentence conditional replaces the note that the posterior is conditional on the pseudo-inputs, and columns
// are called by name.
func (s *Study) ModelWarnings(conditional string) (ws []draws.Warning, notes []string) {
	for _, w := range slices.Concat(s.Model.Warnings(), s.Fit.Warnings) {
		if w.Column > 0 && w.Column <= len(s.Data.Columns) {
			w.Sentence = strings.Replace(w.Sentence, fmt.Sprintf("column %d ", w.Column), s.Data.Columns[w.Column-1]+" ", 1)
		}
		if w.Kind == bke.WarnConditional {
			w.Sentence = conditional
		}
		if w.Note {
			notes = append(notes, w.Sentence)
			continue
		}
		ws = append(ws, draws.Warning{Kind: w.Kind, Parameters: []string{}, Chains: []int{},
			Value: w.Value, Threshold: w.Threshold, Finding: w.Sentence})
	}
	return ws, notes
}
