package main

import (
	"fmt"

	"bayeskernel/kernels"
)

// kernelFlag names a radial kernel, or several where kernels are compared.
type kernelFlag struct {
	name, text string
	list       []kernels.Radial // once read
	named      bool             // the user gave the flag
}

// radialNames lists what kernels.ParseRadial reads, for the help.
const radialNames = "se (squared exponential), matern32, matern52, matern:nu=2, " +
	"rq:alpha=1.5 or mixture:widths=1/4,weights=0.5/0.5"

func (k *kernelFlag) define(s *flagSet, name, value, usage string) {
	k.name = name
	s.text(&k.text, name, value, usage)
}

// read reads one kernel.
func (k *kernelFlag) read() error {
	r, err := kernels.ParseRadial(k.text)
	if err != nil {
		return usagef("-%s: %v", k.name, err)
	}
	k.list = []kernels.Radial{r}
	return nil
}

// readList reads one kernel or several.
func (k *kernelFlag) readList() (err error) {
	if k.list, err = kernels.ParseRadials(k.text); err != nil {
		return usagef("-%s: %v", k.name, err)
	}
	seen := map[string]bool{}
	for _, r := range k.list {
		if seen[r.String()] {
			return usagef("-%s: %s is given twice, want each kernel once", k.name, r)
		}
		seen[r.String()] = true
	}
	return nil
}

// admit refuses a kernel that has no prior covariance under nu for data of dim columns.
func (k *kernelFlag) admit(nu string, dim int) error {
	measure, err := kernels.ParseNu(nu)
	if err != nil {
		return err
	}
	for _, r := range k.list {
		if _, err := kernels.NewPrior(r, measure, dim); err != nil {
			return fmt.Errorf("-%s: %w", k.name, err)
		}
	}
	return nil
}
