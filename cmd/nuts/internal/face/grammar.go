package face

import "strconv"

// grammar is the tree of all arguments with their defaults, as CmdStan has them.
func grammar() *argument {
	in := func(name string, sub ...*argument) *argument { return &argument{name: name, sub: sub} }
	of := func(name, usual string, sub ...*argument) *argument {
		return &argument{name: name, kind: choice, value: usual, usual: usual, sub: sub}
	}
	word := func(name, usual string) *argument {
		return &argument{name: name, kind: text, value: usual, usual: usual}
	}
	count := func(name string, usual, least int) *argument {
		u := strconv.Itoa(usual)
		return &argument{name: name, kind: whole, value: u, usual: u, least: float64(least)}
	}
	real := func(name, usual string, least float64, below bool) *argument {
		return &argument{name: name, kind: number, value: usual, usual: usual, least: least, below: below}
	}
	yes := func(name string, usual bool) *argument {
		u := map[bool]string{true: "1", false: "0"}[usual]
		return &argument{name: name, kind: truth, value: u, usual: u}
	}
	share := func(name, usual string) *argument {
		a := real(name, usual, 0, true)
		a.most = 1
		return a
	}
	jitter := real("stepsize_jitter", "0", 0, false)
	jitter.most = 1
	tolerances := func() []*argument {
		return []*argument{real("init_alpha", "0.001", 0, true), real("tol_obj", "1e-12", 0, false), real("tol_rel_obj", "10000", 0, false),
			real("tol_grad", "1e-08", 0, false), real("tol_rel_grad", "10000000", 0, false), real("tol_param", "1e-08", 0, false)}
	}
	return in("",
		of("method", "sample",
			in("sample",
				count("num_samples", 1000, 0), count("num_warmup", 1000, 0), yes("save_warmup", false), count("thin", 1, 1),
				in("adapt", yes("engaged", true), real("gamma", "0.05", 0, true), share("delta", "0.8"), real("kappa", "0.75", 0, true),
					real("t0", "10", 0, true), count("init_buffer", 75, 0), count("term_buffer", 50, 0), count("window", 25, 0),
					yes("save_metric", false)),
				of("algorithm", "hmc",
					in("hmc",
						of("engine", "nuts", in("static", real("int_time", "6.28319", 0, true)), in("nuts", count("max_depth", 10, 1))),
						of("metric", "diag_e", in("unit_e"), in("diag_e"), in("dense_e")),
						word("metric_file", ""), real("stepsize", "1", 0, true), jitter),
					in("fixed_param")),
				count("num_chains", 1, 1)),
			in("optimize",
				of("algorithm", "lbfgs", in("bfgs", tolerances()...), in("lbfgs", append(tolerances(), count("history_size", 5, 1))...),
					in("newton")),
				yes("jacobian", false), count("iter", 2000, 1), yes("save_iterations", false)),
			in("variational"),
			in("diagnose"),
			in("generate_quantities", word("fitted_params", ""), count("num_chains", 1, 1)),
			in("pathfinder"),
			in("log_prob", word("unconstrained_params", ""), word("constrained_params", ""), yes("jacobian", true)),
			in("laplace")),
		count("id", 1, 1),
		in("data", word("file", "")),
		word("init", "2"),
		in("random", &argument{name: "seed", kind: natural, hook: aSeed}),
		in("output", word("file", "output.csv"), word("diagnostic_file", ""), count("refresh", 100, 0), sigFigs(),
			word("profile_file", "profile.csv"), yes("save_cmdstan_config", false)),
		count("num_threads", 1, -1))
}

// sigFigs takes -1, for all digits, or 1 to 18.
func sigFigs() *argument {
	return &argument{name: "sig_figs", kind: whole, value: "-1", usual: "-1", least: -1, hook: func(value string) error {
		if n, _ := strconv.Atoi(value); n == 0 || n > 18 {
			return &badValue{value, "sig_figs", "-1 or a whole number from 1 to 18"}
		}
		return nil
	}}
}

// badValue is a value that an argument does not take.
type badValue struct{ value, name, want string }

func (e *badValue) Error() string {
	return e.value + " is not a valid value for \"" + e.name + "\": want " + e.want
}

func aSeed(value string) error {
	if _, err := strconv.ParseUint(value, 10, 32); err != nil {
		return &badValue{value, "seed", "a whole number from 0 to 4294967295"}
	}
	return nil
}
