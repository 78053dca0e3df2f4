// Studentt measures the kernel Student-t: on points of a parabola, where the density is also known
// in the space of features, and on handwritten digits, where it finds wrong labels and fills in
// missing ones, and on synthetic images, where relative novelty finds what is new in one of two.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"bayeskernel/examples/internal/report"
)

func main() { report.Program(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var s report.Study
	var part, picture string
	f := flag.NewFlagSet("studentt", flag.ContinueOnError)
	f.SetOutput(stderr)
	s.Define(f)
	f.StringVar(&part, "part", "toy", "what to measure: toy, fantasy, digits, or relative")
	f.StringVar(&picture, "figure", "", "PNG file to draw the toy and fantasy data in, or with "+
		"-part relative the images")
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	measure, ok := map[string]func(context.Context, report.Study, io.Writer) error{
		"toy": toy, "fantasy": clusters, "digits": digits,
		"relative": relative}[part]
	if f.NArg() > 0 || s.Sets < 0 || !ok {
		fmt.Fprintln(stderr, "studentt: want -part toy, fantasy, digits or relative, -sets not negative, and no other "+
			"arguments")
		return 2
	}
	err := measure(ctx, s, stdout)
	if err == nil && picture != "" {
		draw := drawToy
		if part == "relative" {
			draw = drawRelative
		}
		err = draw(ctx, picture, s.Seed)
	}
	if err != nil {
		fmt.Fprintf(stderr, "studentt: %v\n", err)
		return 1
	}
	return 0
}
