package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"

	"bayeskernel/bke"
	"bayeskernel/draws"
	"bayeskernel/embedding"
)

// number is a float64 that JSON writes as null where it has no number for it.
type number float64

// MarshalJSON writes null for NaN and the infinities.
func (n number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

func numbers(x []float64) []number {
	out := make([]number, len(x))
	for i, v := range x {
		out[i] = number(v)
	}
	return out
}

// summary is summary.json.
type summary struct {
	SchemaVersion int                  `json:"schema_version"`
	Command       string               `json:"command"`
	Partial       bool                 `json:"partial"`
	Given         string               `json:"parameters_given"`
	Parameters    []draws.Parameter    `json:"parameters"`
	Interval      *intervalSummary     `json:"theta_interval"`
	Model         modelSummary         `json:"model"`
	Sampler       draws.Sampler        `json:"sampler"`
	Seed          uint64               `json:"seed"`
	Stopped       string               `json:"stopped"`
	Draws         int                  `json:"draws"` // of each chain used
	Chains        []draws.ChainSummary `json:"chains"`
	Modes         []modeSummary        `json:"modes"`
	Influence     []influence          `json:"prior_influence"`
	Warnings      []draws.Warning      `json:"warnings"`
	Notes         []string             `json:"notes"`
	Witness       *witnessSummary      `json:"witness"`
	Weights       *weightsSummary      `json:"weights,omitempty"`
	Verify        []verified           `json:"verify,omitempty"`
	Sensitivity   []sensitivityRow     `json:"sensitivity,omitempty"`
	Verdict       []string             `json:"verdict"`
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

// witnessSummary is what is known of the witness, or of the embedding of one sample.
type witnessSummary struct {
	Kind          string           `json:"kind"` // "witness" or "embedding"
	Noise         string           `json:"noise"`
	Level         number           `json:"level"`
	Points        int              `json:"points"`
	Draws         int              `json:"draws"`
	Functions     int              `json:"functions"`
	Share         number           `json:"share_excluding_zero"`
	Intervals     []intervalRecord `json:"intervals"`
	SimLevel      number           `json:"simultaneous_level"`
	SimIntervals  []intervalRecord `json:"simultaneous_intervals"`
	Certainty     number           `json:"certainty"`
	MMD2          mmd2Record       `json:"mmd2"`
	Strongest     []strongPoint    `json:"strongest"`
	Distinguished bool             `json:"distinguished"`
}

type intervalRecord struct {
	From number `json:"from"`
	To   number `json:"to"`
	Sign int    `json:"sign"`
}

type mmd2Record struct {
	Mean number `json:"mean"`
	Q05  number `json:"q05"`
	Q50  number `json:"q50"`
	Q95  number `json:"q95"`
}

type strongPoint struct {
	At       []number `json:"at"`
	Mean     number   `json:"mean"`
	SD       number   `json:"sd"`
	Positive number   `json:"prob_positive"`
}

func intervalRecords(in []embedding.Interval) []intervalRecord {
	out := []intervalRecord{}
	for _, v := range in {
		out = append(out, intervalRecord{number(v.From), number(v.To), v.Sign})
	}
	return out
}

// modelRecord describes the data and the model of a study.
func modelRecord(s *study) modelSummary {
	n, dim := s.all.Dims()
	m := modelSummary{Description: s.describe(), Source: s.data.source, Synthetic: s.data.synthetic,
		DataHash: hash(s.data.p, s.data.q), Columns: s.data.columns, N: s.model.N(), D: dim,
		Rank: s.model.Rank(), Kernel: s.radial.String(), Path: s.model.Path(), M: s.model.M(),
		Inputs: s.whence(), Weight: number(s.model.Weight()),
		Nu: s.flags.nu, ARD: s.flags.ard, Tau2: number(s.flags.tau2), Eta: number(s.flags.eta),
		ThetaMin: number(s.flags.thetaMin), ThetaMax: number(s.flags.thetaMax),
		PriorTheta: s.flags.theta, ThetaScale: number(s.scaleOfTheta()),
		PriorTau2: s.flags.tau2Prior, PriorEta: s.flags.etaPr, Standardize: s.standardize,
		PooledSD: number(s.model.PooledSD()), ColumnScales: []number{}}
	if s.scaling != nil {
		m.ColumnScales = numbers(s.scaling.SD)
	}
	rows, _ := s.data.p.Dims()
	m.Samples = []sample{{s.data.pName, rows}}
	if s.data.q != nil {
		m.Samples = append(m.Samples, sample{s.data.qName, n - rows})
	}
	k, _ := s.inputs.Z.Dims()
	for l := range k {
		z := make([]number, dim)
		for a := range z {
			z[a] = number(s.inputs.Z.At(l, a))
			if s.scaling != nil {
				z[a] *= number(s.scaling.SD[a])
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

// witnessRecord is what summary.json says of w.
func witnessRecord(w *witness) *witnessSummary {
	r := &witnessSummary{Kind: "witness", Noise: w.noise, Level: number(w.level),
		Points: len(w.mean), Draws: w.draws, Functions: w.functions, Share: number(w.share),
		Intervals: intervalRecords(w.intervals), SimLevel: simultaneous,
		SimIntervals: intervalRecords(w.simIntervals), Certainty: number(w.certainty),
		MMD2: mmd2Record{number(w.mmd2[0]), number(w.mmd2[1]), number(w.mmd2[2]),
			number(w.mmd2[3])},
		Distinguished: !w.single && w.fewest >= fewRows && w.certainty >= decided}
	if w.single {
		r.Kind = "embedding"
	}
	for _, j := range w.strongest[:min(10, len(w.strongest))] {
		r.Strongest = append(r.Strongest, strongPoint{At: numbers(w.points.RawRowView(j)),
			Mean: number(w.mean[j]), SD: number(w.sd[j]), Positive: number(w.positive[j])})
	}
	return r
}

// given is what parameters, draws and -verify are conditional on.
const given = "these pseudo-inputs (model.z)"

// givenInputs says of what that it is conditional on the pseudo-inputs, and how to try others.
func givenInputs(s *study, what, hint string) string {
	power := "1/m"
	if k := s.model.Rank(); k > 1 {
		power = fmt.Sprintf("m^(-1/%d)", k)
	}
	return fmt.Sprintf("%s %d pseudo-inputs (given z). Theta falls roughly like %s as their "+
		"number m grows: %s.", what, s.model.M(), power, hint)
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

// writeJSON writes v, indented.
func writeJSON(w io.Writer, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("summary: %w", err)
	}
	_, err = w.Write(append(b, '\n'))
	return err
}
