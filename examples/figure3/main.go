// Figure3 draws what figure 3 of Flaxman et al. (2016) shows: the posterior of the witness function
// of N(0, 1) and a Laplace distribution of the same mean and variance, for samples of 50 and of 400,
// with its 80% band. With -share it measures, over many data sets, on which share of the grid on
// [-4, 4] the band excludes zero, and the same for two samples of N(0, 1). The data are synthetic.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"bayeskernel/embedding"
	"bayeskernel/examples/internal/report"
	"bayeskernel/internal/atomicfile"
	"bayeskernel/internal/figure"

	"gonum.org/v1/gonum/mat"
)

func main() { report.Program(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet("figure3", flag.ContinueOnError)
	f.SetOutput(stderr)
	out := f.String("out", "figure3.png", "the picture to write")
	noise := f.String("noise", "clt", "covariance of the errors of the sample mean: clt or iid")
	seed := f.Uint64("seed", 1, "seed of the random numbers")
	share := f.Int("share", 0, "measure the share of the grid where the band excludes 0, over this "+
		"many data sets, and draw nothing")
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	kind, err := embedding.ParseNoise(*noise)
	if err != nil || f.NArg() > 0 || *share < 0 {
		fmt.Fprintln(stderr, "figure3: want -noise clt or iid, -share not negative, and no files")
		return 2
	}
	if *share > 0 {
		err = shares(ctx, stdout, *share, *seed)
	} else {
		err = draw(ctx, *out, kind, *seed)
	}
	if err != nil {
		fmt.Fprintf(stderr, "figure3: %v\n", err)
		return 1
	}
	return 0
}

// draw makes the picture.
func draw(ctx context.Context, path string, noise embedding.Noise, seed uint64) error {
	var panels []figure.Drawer
	for _, n := range []int{50, 400} {
		s, err := newStudy(ctx, n, seed, laplace)
		if err != nil {
			return err
		}
		post, band, err := s.witness(ctx, noise)
		if err != nil {
			return err
		}
		ribbon := figure.Ribbon{X: mat.Col(nil, 0, post.Points), Mean: post.Mean,
			Lower: band.Lower, Upper: band.Upper}
		panels = append(panels, figure.Witness1D{
			Title: fmt.Sprintf("n = %d", n), Level: level,
			Samples: []figure.Sample{{Name: "N(0, 1)", Values: mat.Col(nil, 0, s.p)},
				{Name: "Laplace(0, √½)", Values: mat.Col(nil, 0, s.q)}},
			Band: ribbon, Regions: figure.Excluded(ribbon),
		})
	}
	fig, err := figure.Panels(1, 2, "Where a normal and a Laplace distribution differ", panels...)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, fig.WritePNG)
}
