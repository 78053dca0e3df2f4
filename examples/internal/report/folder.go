package report

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"bayeskernel/diagnostics"
	"bayeskernel/draws"
	"bayeskernel/hmc"
	"bayeskernel/internal/atomicfile"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"
	"bayeskernel/nuts"
)

// WorkedBody is an example that leaves pictures and a page in a folder.
type WorkedBody func(ctx context.Context, cfg nuts.Config, dir Folder, out io.Writer) error

// Worked is Main for such an example.
func Worked(name string, body WorkedBody) {
	Program(func(ctx context.Context, args []string, stdout, stderr io.Writer) int {
		return RunWorked(ctx, name, args, stdout, stderr, body)
	})
}

// RunWorked is Run for such an example.
func RunWorked(ctx context.Context, name string, args []string, stdout, stderr io.Writer,
	body WorkedBody) int {
	var dir string
	define := func(f *flag.FlagSet) {
		f.StringVar(&dir, "dir", name+"-report", "folder for the pictures and the page, which is made")
	}
	return run(ctx, name, args, stdout, stderr, define,
		func(ctx context.Context, cfg nuts.Config, out io.Writer) error {
			if err := os.MkdirAll(dir, 0o777); err != nil {
				return err
			}
			return body(ctx, cfg, Folder(dir), out)
		})
}

// Folder is where an example leaves its pictures and its page.
type Folder string

// Draw writes the picture as PNG and as SVG.
func (d Folder) Draw(name string, f figure.Drawer) error {
	fig, err := f.Draw()
	if err != nil {
		return err
	}
	var png, svg bytes.Buffer
	if err := fig.WritePNG(&png); err != nil {
		return err
	}
	if err := fig.WriteSVG(&svg); err != nil {
		return err
	}
	if err := d.write(name+".png", png.Bytes()); err != nil {
		return err
	}
	return d.write(name+".svg", svg.Bytes())
}

// Page writes index.html.
func (d Folder) Page(p *page.Page) error {
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		return err
	}
	return d.write("index.html", b.Bytes())
}

// Sample is nuts.Sample for a worked example, which has nothing to say of half a run.
func Sample(ctx context.Context, f hmc.Factory, cfg nuts.Config) (*draws.Run, error) {
	run, err := nuts.Sample(ctx, f, cfg)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("interrupted: nothing was written")
	}
	return run, err
}

// Bands returns the 5%, 50% and 95% quantiles of n columns from the first one of this name.
func Bands(run *draws.Run, first string, n int) (lo, mid, hi []float64, err error) {
	at := slices.Index(run.Names, first)
	if at < 0 || at+n > len(run.Names) {
		return nil, nil, nil, fmt.Errorf("there are no %d values from %s on", n, first)
	}
	for j := range n {
		x := run.Column(at + j)
		lo = append(lo, diagnostics.Quantile(x, 0.05))
		mid = append(mid, diagnostics.Quantile(x, 0.5))
		hi = append(hi, diagnostics.Quantile(x, 0.95))
	}
	return lo, mid, hi, nil
}

// Shares is the share of values in each bin between edges, with -Inf and +Inf beyond their ends.
func Shares(values, edges []float64) []float64 {
	out := make([]float64, len(edges)+1)
	for _, v := range values {
		k, _ := slices.BinarySearchFunc(edges, v, func(e, v float64) int {
			if e <= v {
				return -1
			}
			return 1
		})
		out[k] += 1 / float64(len(values))
	}
	return out
}

// Check is a posterior predictive check: the shares of y in bins of a width, beside the 5%, 50% and
// 95% quantiles of those of the predictive draws, one data set for each row. It also returns the
// share of bins whose quantiles hold what was observed.
func Check(title, label string, y []float64, predicted [][]float64, lo, hi, width float64) (
	figure.Curves, float64) {
	var edges, middle []float64
	for e := lo; e <= hi+width/2; e += width {
		edges = append(edges, e)
		middle = append(middle, e-width/2)
	}
	middle = append(middle, edges[len(edges)-1]+width/2)
	observed := Shares(y, edges)
	every := make([][]float64, len(observed))
	for _, row := range predicted {
		for k, s := range Shares(row, edges) {
			every[k] = append(every[k], s)
		}
	}
	s := figure.Series{Name: "predicted", X: middle}
	held := 0.0
	for k, v := range every {
		slices.Sort(v)
		at := func(p float64) float64 { return v[int(math.Round(p*float64(len(v)-1)))] }
		s.Lower, s.Y, s.Upper = append(s.Lower, at(.05)), append(s.Y, at(.5)), append(s.Upper, at(.95))
		if observed[k] >= at(.05) && observed[k] <= at(.95) {
			held += 1 / float64(len(every))
		}
	}
	return figure.Curves{Title: title, Series: []figure.Series{s,
		{Name: "observed", X: middle, Y: observed}}, XLabel: label, YLabel: "share of the data",
		Note: "90% intervals"}, held
}

func (d Folder) write(name string, b []byte) error {
	return atomicfile.Write(filepath.Join(string(d), name), func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}
