package cli

import (
	"testing"
)

// Names of packages are left out where an error or a note begins with them, and nowhere else.
func TestWithoutPackages(t *testing.T) {
	for in, want := range map[string]string{
		"bke: prior: priors: hmc: gamma(1,0)":  "prior: gamma(1,0)",
		"not learned (bke: modes: no maximum)": "not learned (no maximum)",
		"found 2 modes: 1 and 3":               "found 2 modes: 1 and 3",
	} {
		if got := WithoutPackages(in); got != want {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
}
