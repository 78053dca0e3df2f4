package work

import (
	"fmt"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/kernels"
)

// KernelFlag names a radial kernel, or several where kernels are compared.
type KernelFlag struct {
	name, Text string
	list       []kernels.Radial // once read
	Named      bool             // the user gave the flag
}

// Define defines the flag.
func (k *KernelFlag) Define(s *cli.FlagSet, name, value, usage string) {
	k.name = name
	s.Text(&k.Text, name, value, usage)
}

// Read reads one kernel.
func (k *KernelFlag) Read() error {
	r, err := kernels.ParseRadial(k.Text)
	if err != nil {
		return cli.Usagef("-%s: %v", k.name, err)
	}
	k.list = []kernels.Radial{r}
	return nil
}

// ReadList reads one kernel or several.
func (k *KernelFlag) ReadList() (err error) {
	if k.list, err = kernels.ParseRadials(k.Text); err != nil {
		return cli.Usagef("-%s: %v", k.name, err)
	}
	seen := map[string]bool{}
	for _, r := range k.list {
		if seen[r.String()] {
			return cli.Usagef("-%s: %s is given twice, want each kernel once", k.name, r)
		}
		seen[r.String()] = true
	}
	return nil
}

// admit refuses a kernel that has no prior covariance under nu for data of dim columns.
func (k *KernelFlag) admit(nu string, dim int) error {
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
