package permute

import (
	"testing"

	"bayeskernel/internal/assembly"
)

func TestOtherPlatforms(t *testing.T) { assembly.Builds(t) }

func TestGenerated(t *testing.T) {
	assembly.Generated(t, "kernels_amd64.s", "kernels_amd64.go")
}
