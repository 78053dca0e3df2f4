package cli

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"bayeskernel/internal/table"
)

// Resumable is how a run ends that can be gone on with. Its text ends with a command, so that
// nothing may follow it.
type Resumable struct{ msg string }

func (e *Resumable) Error() string { return e.msg }

func (e *Resumable) Unwrap() error { return context.Canceled }

// OneLine makes an error of a library fit for a person: one line, without the library's name.
func OneLine(err error) string {
	return WithoutPackages(strings.Join(strings.Fields(err.Error()), " "))
}

// lines are those that an error is told in: one for each problem of files, or else one.
func lines(err error) []string {
	if _, many := errors.AsType[*table.Problems](err); !many {
		return []string{OneLine(err)}
	}
	return strings.Split(err.Error(), "\n")
}

// libraries are the packages whose errors begin with their name; a test keeps the list complete.
const libraries = `atomicfile|bayesfactor|bke|calibration|causal|checkpoint|cmdstan|compare|conditional|` +
	`density|draws|embedding|fantasy|features|figure|format|fused|gp|graph|hmc|ica|inputs|kernels|kerneltest|` +
	`loo|model|modes|nuts|onepass|page|pca|permute|power|priors|quadrature|rng|shrinkage|statistic|` +
	`studentt|summary|svm|target|temper|zarr`

var packages = regexp.MustCompile(`(^|\(|: )(?:(?:` + libraries + `): )+`)

// WithoutPackages takes out the names of packages that errors begin with.
func WithoutPackages(s string) string { return packages.ReplaceAllString(s, "$1") }

// ErrDiagnostics ends a run that is done but not to be trusted, with -strict.
var ErrDiagnostics = errors.New("the diagnostics are bad (exit code 3 because of -strict)")

// ErrRejected ends a run that is done and rejects a null hypothesis, with -exit-code. Nothing is
// printed of it.
var ErrRejected = errors.New("the null hypothesis is rejected (exit code 4 because of -exit-code)")

// UsageError is a wrong use of the program.
type UsageError struct{ msg string }

func (e *UsageError) Error() string { return e.msg }

// Usagef makes one.
func Usagef(format string, args ...any) error {
	return &UsageError{fmt.Sprintf(format, args...)}
}

// Resumablef makes one.
func Resumablef(format string, args ...any) error {
	return &Resumable{fmt.Sprintf(format, args...)}
}

// Refusal is a wrong use that the text itself says how to mend. It may end with a command.
type Refusal struct{ msg string }

func (e *Refusal) Error() string { return e.msg }

// Refusalf makes one.
func Refusalf(format string, args ...any) error { return &Refusal{fmt.Sprintf(format, args...)} }
