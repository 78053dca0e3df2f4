package workers

import (
	"errors"
	"fmt"
)

// Open makes a target by calling make, and sees that there is one and that it has a dimension. The
// caller's name begins every error.
func Open[T interface{ Dim() int }](caller string, make func() (T, error)) (T, error) {
	var t, none T
	err := Guard(func() (err error) {
		t, err = make()
		return err
	})
	var p *Panic
	switch {
	case errors.As(err, &p):
		return none, fmt.Errorf("%s: making the target %w", caller, err)
	case err != nil:
		return none, fmt.Errorf("%s: making the target: %w", caller, err)
	case any(t) == nil:
		return none, fmt.Errorf("%s: the factory made no target", caller)
	}
	d := 0
	if err := Guard(func() error { d = t.Dim(); return nil }); err != nil {
		return none, fmt.Errorf("%s: the target's Dim %w", caller, err)
	}
	if d <= 0 {
		return none, fmt.Errorf("%s: the target has dimension %d, want it positive", caller, d)
	}
	return t, nil
}

// CheckNames returns an error if names cannot tell the values of a draw apart.
func CheckNames(caller string, names []string) error {
	if len(names) == 0 {
		return fmt.Errorf("%s: the target names no values, so no draws could be kept", caller)
	}
	seen := map[string]int{}
	for i, n := range names {
		if n == "" {
			return fmt.Errorf("%s: name %d of the target is empty", caller, i)
		}
		if j, ok := seen[n]; ok {
			return fmt.Errorf("%s: the target names both value %d and value %d %q", caller, j, i, n)
		}
		seen[n] = i
	}
	return nil
}
