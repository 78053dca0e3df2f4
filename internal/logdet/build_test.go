package logdet

import (
	"testing"

	"bayeskernel/internal/assembly"
)

func TestOtherPlatforms(t *testing.T) { assembly.Builds(t) }

func TestGenerated(t *testing.T) {
	assembly.Generated(t, "columns_amd64.s", "columns_amd64.go")
}
