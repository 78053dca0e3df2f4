//go:build !conditional

package work

import (
	"context"
	"errors"

	"bayeskernel/causal"
)

// kernelTest is for a build without the kernel tests.
func kernelTest(*causal.Data, []bool, uint64, bool) (causal.Test, error) {
	return nil, errors.New("-test kci and residual are not in this build, want fisherz or g2")
}

// askOther asks nobody.
func (*CausalFlags) askOther(context.Context, *Caused, causal.Test, causal.Options) (string, error) {
	return "", nil
}
