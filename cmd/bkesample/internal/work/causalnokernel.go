//go:build !conditional

package work

import (
	"context"
	"errors"

	"bayeskernel/causal"
	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/input"
)

// whiten is for a build without regression.
func whiten(context.Context, *cli.Console, *input.Dataset, string, bool) (*input.Dataset, []Whitened,
	error) {
	return nil, nil, errors.New("-time-as smooth and likeliest are not in this build, want -time-as tier")
}

// kernelTest is for a build without the kernel tests.
func kernelTest(*causal.Data, []bool, uint64, bool) (causal.Test, error) {
	return nil, errors.New("-test kci and residual are not in this build, want fisherz or g2")
}

// askOther asks nobody.
func (*CausalFlags) askOther(context.Context, *Caused, causal.Test, causal.Options) (string, error) {
	return "", nil
}
