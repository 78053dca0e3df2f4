package main

import (
	"fmt"
	"slices"

	"bayeskernel/examples/declared"
	"bayeskernel/examples/models"
)

// entry is a model on the scoreboard. Any named factory can be one: a Posterior without reference
// moments is judged by all its values, and by its gates alone.
type entry struct {
	name            string
	posterior       func() (models.Posterior, error)
	cmdStan, nutpie *published // nil where nothing is published
}

// published is what a study reports of another sampler: how many of its three seeds passed the
// gates, and the median of the smallest bulk effective sample size per 1000 gradients, warm-up
// included.
//
// The figures are from the repository dhruv575/oWALNUTS, STUDIES/posteriordb_bench_v1/README.md at
// commit 0f3b8ad, a study run on 2026-09-01 with CmdStan 2.39.0 and nutpie 0.16.8 at their
// defaults: diagonal metric, target acceptance 0.8, four chains of 1000 transitions of warm-up and
// 1000 draws from starts uniform on (-2, 2). The gates are ours but for the means, which that study
// reports apart.
type published struct {
	passed int
	ess    float64
}

// registry holds the models in the order of the table.
var registry = []entry{
	{"eight_schools_noncentered", models.EightSchools, &published{1, 32.5}, &published{0, 40.5}},
	{"eight_schools_centered", models.EightSchoolsCentered, &published{0, 0.64},
		&published{0, 1.60}},
	{"diamonds", models.Diamonds, &published{3, 0.22}, &published{1, 0.16}},
	{"logmesquite_logvash", models.LogVASh, &published{3, 3.84}, &published{3, 4.26}},
	{"kidscore_momhsiq", models.KidScoreMomHSIQ, &published{3, 3.72}, &published{3, 5.02}},
	{"arK", models.ARK, &published{3, 10.6}, &published{3, 11.2}},
	{"arma11", models.ARMA, &published{2, 45.0}, &published{2, 143.5}},
	{"garch11", models.GARCH, &published{3, 20.3}, &published{3, 24.2}},
	{"hmm_example", models.HMMExample, &published{3, 22.7}, &published{3, 26.6}},
	{"hmm_drive_0", models.HMMDrive, &published{3, 59.7}, &published{2, 71.6}},
	{"one_comp_mm_elim_abs", models.OneComp, &published{0, 5.43}, &published{0, 19.4}},
	{"lotka_volterra", models.LotkaVolterra, &published{2, 2.76}, &published{1, 1.36}},
	{"accel_gp", models.AccelGP, &published{0, 0.23}, &published{0, 0.19}},

	{"blr", models.BLR, nil, nil},
	{"GLM_Poisson_model", models.GLMPoisson, nil, nil},
	{"dogs", models.Dogs, nil, nil},
	{"kidscore_interaction", models.KidScore, nil, nil},
	{"kidscore_mom_work", models.KidScoreMomWork, nil, nil},
	{"logmesquite", models.LogMesquite, nil, nil},
	{"mesquite", models.Mesquite, nil, nil},
	{"nes", models.NES, nil, nil},
	{"kilpisjarvi", models.Kilpisjarvi, nil, nil},
	{"low_dim_gauss_mix", models.GaussMix, nil, nil},
	{"surgical_model", models.Surgical, nil, nil},

	{"wells_like", simulated(0), nil, nil},
	{"earnings_like", simulated(1), nil, nil},
	{"scales17", simulated(2), nil, nil},
	{"rotated50", simulated(3), nil, nil},
}

// simulated returns a target with simulated data.
func simulated(i int) func() (models.Posterior, error) {
	return func() (models.Posterior, error) { return models.Simulated()[i], nil }
}

// declare returns the entries with their declared models in the place of those by hand, which lend
// them their reference moments.
func declare(entries []entry) ([]entry, error) {
	all := declared.All()
	out := slices.Clone(entries)
	for i, e := range entries {
		k := slices.IndexFunc(all, func(p declared.Posterior) bool { return p.Name == e.name })
		if k < 0 {
			return nil, fmt.Errorf("scoreboard: %q is not declared", e.name)
		}
		out[i].posterior = func() (models.Posterior, error) {
			p, err := e.posterior()
			if err != nil {
				return p, err
			}
			m, err := all[k].Declare()
			if err != nil {
				return p, err
			}
			program, err := m.Compile()
			if err != nil {
				return p, err
			}
			p.Factory = program.Target
			return p, nil
		}
	}
	return out, nil
}
