package face

import (
	"os"
	"strings"
	"testing"
)

// No method replaces a file that it reads, under whatever name, nor one that CmdStan does not write. What CmdStan wrote
// is replaced without a question, as it does.
func TestOutputs(t *testing.T) {
	const table = "# stan_version_major = 2\n# method = sample\nlp__," + columns + "\n0,1,1,0,0,0,0,2,0,0,0,0,0\n"
	files := map[string]string{"d.json": data["d.json"], "o_2.csv": data["d.json"], "in.json": data["init_1.json"], "fit.csv": table, "earlier.csv": table,
		"made_1.csv": "", "o.csv.part": "my notes\n", "m.stan": program, "m_config.json": "{\"mine\": 1}\n", "a_metric.json": data["diag.json"],
		"script.csv": "#!/bin/sh\n", "b_config.json": "{\n  \"stan_major_version\": \"2\"\n}\n", "p.json": `{"params_r": [3, 0.7, 1, 0, 0, 0]}`}
	links := map[string]func(old, to string) error{"hard.csv": os.Link, "soft.csv": os.Symlink}
	const short = " num_samples=2 num_warmup=5"
	for _, c := range []struct{ args, want string }{
		{"sample data file=d.json output file=d.json", "output file=d.json: d.json is read"},
		{"sample data file=d.json output file=./d.json", "./d.json is d.json, which is read"},
		{"sample data file=d.json output file=hard.csv", "hard.csv is d.json, which is read"},
		{"sample data file=d.json output file=soft.csv", "soft.csv is d.json, which is read"},
		{"sample data file=soft.csv output file=d.json", "d.json is soft.csv, which is read"},
		{"sample num_chains=2 data file=o_2.csv output file=o.csv", "output file=o.csv: o_2.csv is read"},
		{"sample data file=d.json init=in.json output file=in.json", "in.json is read"},
		{"sample algorithm=hmc metric_file=a_metric.json adapt save_metric=1 data file=d.json output file=a.csv", "a_metric.json is read"},
		{"sample num_chains=2 data file=d.json output file=a.csv,a.csv", "two files that are written are a.csv"},
		{"sample data file=d.json output file=m.stan", "m.stan is there and is no file of CmdStan"},
		{"sample data file=d.json output file=script.csv", "script.csv is there and is no file of CmdStan"},
		{"sample data file=d.json output file=o.csv", "o.csv.part is there and is no file of CmdStan"},
		{"sample data file=d.json output file=m.csv save_cmdstan_config=1", "m_config.json is there and is no file of CmdStan"},
		{"optimize data file=d.json output file=hard.csv", "hard.csv is d.json, which is read"},
		{"optimize data file=d.json init=in.json output file=in.json", "in.json is read"},
		{"generate_quantities fitted_params=fit.csv data file=d.json output file=./fit.csv", "./fit.csv is fit.csv, which is read"},
		{"log_prob unconstrained_params=p.json data file=d.json output file=p.json", "p.json is read"},
		{"log_prob constrained_params=fit.csv data file=d.json output file=fit.csv", "fit.csv is read"},
		{"sample num_chains=2" + short + " data file=d.json output file=made.csv", ""},
		{"sample" + short + " data file=d.json output file=earlier.csv", ""},
		{"optimize data file=d.json output file=b.csv save_cmdstan_config=1", ""},
		{"generate_quantities fitted_params=fit.csv data file=d.json output file=earlier.csv", ""},
		{"log_prob constrained_params=fit.csv data file=d.json output file=earlier.csv", ""},
	} {
		inFolder(t, files)
		for name, link := range links {
			if err := link("d.json", name); err != nil {
				t.Skip(err)
			}
		}
		code, out, errs := call1(program, strings.Fields(c.args)...)
		if c.want == "" {
			if code != 0 || errs != "" {
				t.Errorf("%s: code %d, %q", c.args, code, errs)
			}
			continue
		}
		if code != 1 || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 || out != "" {
			t.Errorf("%s: code %d, %q, %q, want 1 and %q", c.args, code, out, errs, c.want)
		}
		for name, want := range files {
			if got, err := os.ReadFile(name); err != nil || string(got) != want {
				t.Errorf("%s changed %s: %v", c.args, name, err)
			}
		}
	}
}
