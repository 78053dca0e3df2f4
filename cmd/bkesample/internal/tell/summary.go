package tell

import (
	"fmt"

	"bayeskernel/bke"
	"bayeskernel/cmd/bkesample/internal/work"
	"bayeskernel/draws"
)

// Summary is summary.json.
type Summary struct {
	SchemaVersion int      `json:"schema_version"`
	Command       string   `json:"command"`
	Seed          uint64   `json:"seed"`
	Partial       bool     `json:"partial"`
	Verdict       []string `json:"verdict"`
	verdictRecord
	Given       string                `json:"parameters_given"`
	Parameters  []draws.Parameter     `json:"parameters"`
	Interval    *Interval             `json:"theta_interval"`
	Model       modelSummary          `json:"model"`
	Sampler     draws.Sampler         `json:"sampler"`
	Stopped     string                `json:"stopped"`
	Draws       int                   `json:"draws"` // of each chain used
	Chains      []draws.ChainSummary  `json:"chains"`
	Modes       []modeSummary         `json:"modes"`
	Influence   []work.Influence      `json:"prior_influence"`
	Warnings    []draws.Warning       `json:"warnings"`
	Notes       []string              `json:"notes"`
	Witness     *witnessSummary       `json:"witness"`
	Weights     *WeightsSummary       `json:"weights,omitempty"`
	Verify      []work.Verified       `json:"verify,omitempty"`
	Sensitivity []work.SensitivityRow `json:"sensitivity,omitempty"`
	Bayes       *bayesRecord          `json:"bayes,omitempty"`
}

// modelSummary describes the data and the model.
type modelSummary struct {
	Description  string     `json:"description"`
	Source       string     `json:"source"`
	Synthetic    bool       `json:"synthetic"`
	DataHash     string     `json:"data_hash"`
	Columns      []string   `json:"columns"`
	Samples      []sample   `json:"samples"`
	N            int        `json:"n"` // rows in the likelihood
	D            int        `json:"d"`
	Rank         int        `json:"rank"`
	Kernel       string     `json:"kernel"`
	Path         string     `json:"path"`
	M            int        `json:"m"`
	Inputs       string     `json:"inputs"`
	Z            [][]number `json:"z"` // in the units of the data
	Weight       number     `json:"weight"`
	Nu           string     `json:"nu"`
	ARD          bool       `json:"ard"`
	Tau2         number     `json:"tau2_fixed"` // 0 if free
	Eta          number     `json:"eta_fixed"`
	ThetaMin     number     `json:"theta_min"`
	ThetaMax     number     `json:"theta_max"`
	PriorTheta   string     `json:"prior_theta"`
	ThetaScale   number     `json:"theta_scale"` // the prior is that of theta over this
	PriorTau2    string     `json:"prior_tau2"`
	PriorEta     string     `json:"prior_eta"`
	Standardize  string     `json:"standardize"`
	ColumnScales []number   `json:"column_scales"` // columns were divided by these
	// ThetaMean is the posterior mean of the lengthscale of each column in the units of the data.
	ThetaColumns []number `json:"theta_columns"`
	PooledSD     number   `json:"pooled_sd"`
}

type sample struct {
	Name string `json:"name"`
	Rows int    `json:"rows"`
}

// modeSummary is a mode of the posterior on the natural scales.
type modeSummary struct {
	Theta   []number `json:"theta"`
	Tau2    number   `json:"tau2"`
	Eta     number   `json:"eta"`
	Value   number   `json:"value"`
	LogLik  number   `json:"log_pseudolikelihood"`
	LogMass number   `json:"log_mass"`
}

// modelRecord describes the data and the model of a study.
func modelRecord(s *work.Study) modelSummary {
	_, dim := s.All.Dims()
	m := modelSummary{Description: s.Describe(), Source: s.Data.Source, Synthetic: s.Data.Synthetic,
		DataHash: s.Data.Identity(), Columns: s.Data.Columns, N: s.Model.N(), D: dim,
		Rank: s.Model.Rank(), Kernel: s.Radial.String(), Path: s.Model.Path(), M: s.Model.M(),
		Inputs: s.Whence(), Weight: number(s.Model.Weight()),
		Nu: s.Flags.Nu, ARD: s.Flags.Ard, Tau2: number(s.Flags.Tau2), Eta: number(s.Flags.Eta),
		ThetaMin: number(s.Flags.ThetaMin), ThetaMax: number(s.Flags.ThetaMax),
		PriorTheta: s.Flags.Theta, ThetaScale: number(s.ScaleOfTheta()),
		PriorTau2: s.Flags.Tau2Prior, PriorEta: s.Flags.EtaPr, Standardize: s.Standardize,
		PooledSD: number(s.Model.PooledSD()), ColumnScales: []number{}}
	if s.Scaling != nil {
		m.ColumnScales = numbers(s.Scaling.SD)
	}
	p, q := s.Data.Rows()
	m.Samples = []sample{{s.Data.PName, p}}
	if s.Data.Q != nil {
		m.Samples = append(m.Samples, sample{s.Data.QName, q})
	}
	k, _ := s.Inputs.Z.Dims()
	for l := range k {
		z := make([]number, dim)
		for a := range z {
			z[a] = number(s.Inputs.Z.At(l, a))
			if s.Scaling != nil {
				z[a] *= number(s.Scaling.SD[a])
			}
		}
		m.Z = append(m.Z, z)
	}
	return m
}

// modeSummaries are those of a fit.
func modeSummaries(f *bke.Fit) []modeSummary {
	out := []modeSummary{}
	for _, m := range f.Modes {
		out = append(out, modeSummary{Theta: numbers(m.Params.Theta), Tau2: number(m.Params.Tau2),
			Eta: number(m.Params.Eta), Value: number(m.Value), LogLik: number(m.LogLik),
			LogMass: number(m.LogMass)})
	}
	return out
}

// given is what parameters, draws and -verify are conditional on.
const given = "these pseudo-inputs (model.z)"

// givenInputs says of what that it is conditional on the pseudo-inputs, and how to try others.
func givenInputs(s *work.Study, what, hint string) string {
	power := "1/m"
	if k := s.Model.Rank(); k > 1 {
		power = fmt.Sprintf("m^(-1/%d)", k)
	}
	return fmt.Sprintf("%s %d pseudo-inputs (given z). Theta falls roughly like %s as their "+
		"number m grows: %s.", what, s.Model.M(), power, hint)
}

// modelWarnings puts the warnings of the model and the fit beside those of the run; conditional
// takes the place of the note that the posterior is given the pseudo-inputs.
func modelWarnings(conditional string, list ...bke.Warning) (ws []draws.Warning, notes []string) {
	for _, w := range list {
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
