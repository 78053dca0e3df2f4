package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"bayeskernel/frame"
)

// Resumable ends a run that was interrupted and says what it leaves. Where it can be resumed the text ends with a
// command, so nothing may be appended.
type Resumable struct{ msg string }

func (e *Resumable) Error() string { return e.msg }

func (e *Resumable) Unwrap() error { return context.Canceled }

// OneLine shortens a library's error to one line, without the library's name and that of the call of
// the system that failed.
func OneLine(err error) string {
	text := err.Error()
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		text = strings.Replace(text, pe.Error(), pe.Path+": "+pe.Err.Error(), 1)
	}
	return WithoutPackages(strings.Join(strings.Fields(text), " "))
}

// lines splits an error into its lines: one for each problem with files, otherwise one.
func lines(err error) []string {
	if _, many := errors.AsType[*frame.Problems](err); !many {
		return []string{OneLine(err)}
	}
	return strings.Split(err.Error(), "\n")
}

// libraries are the packages whose errors begin with their name; a test checks that the list is
// complete.
const libraries = `atomicfile|bayesfactor|bke|calibration|causal|centring|checkpoint|cmdstan|compare|conditional|` +
	`density|distreg|draws|embedding|energy|fantasy|features|figure|format|formula|fused|given|gp|graph|hmc|ica|inputs|kernels|` +
	`kerneltest|loo|magnitude|model|modes|nuts|ode|onepass|page|pca|permute|power|priors|quadrature|rng|runs|sequential|shrinkage|stan|statistic|types|` +
	`stein|studentt|summary|svm|target|temper|zarr`

var packages = regexp.MustCompile(`(^|\(|: )(?:(?:` + libraries + `): )+`)

// WithoutPackages removes package names from the start of errors.
func WithoutPackages(s string) string { return packages.ReplaceAllString(s, "$1") }

// ErrDiagnostics ends, with -strict, a run that has finished but whose draws cannot be trusted.
var ErrDiagnostics = errors.New("the diagnostics are bad (exit code 3 because of -strict)")

// ErrRejected ends, with -exit-code, a run that rejects a null hypothesis. It prints nothing.
var ErrRejected = errors.New("the null hypothesis is rejected (exit code 4 because of -exit-code)")

// UsageError reports that the program was called in a wrong way.
type UsageError struct{ msg string }

func (e *UsageError) Error() string { return e.msg }

// Usagef returns a UsageError.
func Usagef(format string, args ...any) error {
	return &UsageError{fmt.Sprintf(format, args...)}
}

// Resumablef returns a Resumable.
func Resumablef(format string, args ...any) error {
	return &Resumable{fmt.Sprintf(format, args...)}
}

// Refusal reports a wrong call whose message says how to fix it. It may end with a command.
type Refusal struct{ msg string }

func (e *Refusal) Error() string { return e.msg }

// Refusalf returns a Refusal.
func Refusalf(format string, args ...any) error { return &Refusal{fmt.Sprintf(format, args...)} }
