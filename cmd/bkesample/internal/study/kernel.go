package study

import (
	"fmt"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/kernels"
)

// KernelFlag names a radial kernel, or several if the command compares kernels.
type KernelFlag struct {
	Name, Text string
	List       []kernels.Radial // once read
	Named      bool             // the user gave the flag
}

// Define defines the flag.
func (k *KernelFlag) Define(s *cli.FlagSet, name, value, usage string) {
	k.Name = name
	s.Text(&k.Text, name, value, usage)
}

// Read reads one kernel.
func (k *KernelFlag) Read() error {
	r, err := kernels.ParseRadial(k.Text)
	if err != nil {
		return cli.Usagef("-%s: %v", k.Name, err)
	}
	k.List = []kernels.Radial{r}
	return nil
}

// ReadList reads one or more kernels.
func (k *KernelFlag) ReadList() (err error) {
	if k.List, err = kernels.ParseRadials(k.Text); err != nil {
		return cli.Usagef("-%s: %v", k.Name, err)
	}
	seen := map[string]bool{}
	for _, r := range k.List {
		if seen[r.String()] {
			return cli.Usagef("-%s: %s is given twice, want each kernel once", k.Name, r)
		}
		seen[r.String()] = true
	}
	return nil
}

// Admit rejects a kernel without a prior covariance under nu for data of dim columns.
func (k *KernelFlag) Admit(nu string, dim int) error {
	measure, err := kernels.ParseNu(nu)
	if err != nil {
		return err
	}
	for _, r := range k.List {
		if _, err := kernels.NewPrior(r, measure, dim); err != nil {
			return fmt.Errorf("-%s: %w", k.Name, err)
		}
	}
	return nil
}
