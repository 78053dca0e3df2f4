package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/examples/internal/report"
	"bayeskernel/internal/atomicfile"
	"bayeskernel/internal/figure"
	"bayeskernel/kernels"
	"bayeskernel/studentt"

	"gonum.org/v1/gonum/mat"
)

// Two synthetic images of noisy stripes. Both have a few bright dots, which are rare; the second has
// a disc whose stripes run another way, which is new.
const (
	imageSide = 72
	patchSide = 5
	places    = imageSide - patchSide + 1 // of patches, in a row
	patches   = 400                       // that a model is made of
	discAt    = 46
	discWide  = 11
)

// raster is an image, row by row.
type raster [imageSide * imageSide]float64

// paint makes an image; changed has the disc.
func paint(changed bool, r *rand.Rand) *raster {
	var p raster
	for i := range imageSide {
		for j := range imageSide {
			phase := float64(i+j) * 0.9
			if changed && math.Hypot(float64(i-discAt), float64(j-discAt)) < discWide {
				phase = float64(i-j) * 0.9
			}
			p[i*imageSide+j] = math.Sin(phase) + 0.25*r.NormFloat64()
		}
	}
	for range 4 {
		a, b := 3+r.IntN(imageSide-6), 3+r.IntN(imageSide/3)
		for i := -1; i <= 1; i++ {
			for j := -1; j <= 1; j++ {
				p[(a+i)*imageSide+b+j] += 2.5
			}
		}
	}
	return &p
}

// patch writes the pixels whose corner is a place.
func (p *raster) patch(dst []float64, place int) {
	i, j := place/places, place%places
	for a := range patchSide {
		copy(dst[a*patchSide:(a+1)*patchSide], p[(i+a)*imageSide+j:])
	}
}

// model is made of random patches; it is returned with their places.
func (p *raster) model(ctx context.Context, k kernels.Kernel, r *rand.Rand) (*studentt.Model, []int, error) {
	x := mat.NewDense(patches, patchSide*patchSide, nil)
	at := r.Perm(places * places)[:patches]
	for i, place := range at {
		p.patch(x.RawRowView(i), place)
	}
	m, err := studentt.New(k, patchSide*patchSide, patchPrior)
	if err != nil {
		return nil, nil, err
	}
	return m, at, m.AddAll(ctx, x)
}

var patchPrior = studentt.Params{Alpha: 1, Beta: 0.01, Scale2: 0.01}

// compared are scores of the places of the second image, and where the disc is.
type compared struct {
	second            *raster
	novelty, relative []float64
	inside            []bool
}

func compareImages(ctx context.Context, r *rand.Rand) (*compared, error) {
	first := paint(false, r)
	c := &compared{second: paint(true, r)}
	all := mat.NewDense(places*places, patchSide*patchSide, nil)
	for place := range places * places {
		c.second.patch(all.RawRowView(place), place)
		i, j := place/places+patchSide/2, place%places+patchSide/2
		c.inside = append(c.inside, math.Hypot(float64(i-discAt), float64(j-discAt)) < discWide)
	}
	med, err := kernels.MedianDistance(all, 1)
	if err != nil {
		return nil, err
	}
	k := kernels.SquaredExponential(med.Lengthscale(kernels.MedianOverSqrt2))
	base, _, err := first.model(ctx, k, r)
	if err != nil {
		return nil, err
	}
	second, own, err := c.second.model(ctx, k, r)
	if err != nil {
		return nil, err
	}
	c.novelty, c.relative = make([]float64, places*places), make([]float64, places*places)
	if err := base.Novelty(ctx, c.novelty, all); err != nil {
		return nil, err
	}
	if err := studentt.RelativeNovelty(ctx, c.relative, base, second, all); err != nil {
		return nil, err
	}
	return c, c.leaveOut(ctx, second, own)
}

// leaveOut takes from patches of which the second model is made the advantage of being in it: their
// own density is replaced by that given the other patches.
func (c *compared) leaveOut(ctx context.Context, second *studentt.Model, own []int) error {
	loo, err := studentt.NewConformal(ctx, second.Kernel(), second.Points(), 0, patchPrior)
	if err != nil {
		return err
	}
	forms := make([]float64, len(own))
	loo.Forms(forms)
	e, row := second.Evaluator(), make([]float64, patchSide*patchSide)
	for i, place := range own {
		c.second.patch(row, place)
		c.relative[place] -= (1 + patches + patchPrior.Alpha) / 2 * math.Log(forms[i]/e.Form(row))
	}
	return nil
}

// auc is the probability that a place in the disc has a higher score than one outside.
func (c *compared) auc(scores []float64) float64 {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if scores[a] < scores[b] {
			return -1
		}
		return 1
	})
	below, sum, in := 0.0, 0.0, 0.0
	for _, i := range order {
		if c.inside[i] {
			in++
			sum += below
		} else {
			below++
		}
	}
	return sum / in / below
}

// top is the share of the disc among the places with the highest scores, one in a hundred.
func (c *compared) top(scores []float64) float64 {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if scores[a] > scores[b] {
			return -1
		}
		if scores[a] < scores[b] {
			return 1
		}
		return 0
	})
	few, in := len(order)/100, 0.0
	for _, i := range order[:few] {
		if c.inside[i] {
			in++
		}
	}
	return in / float64(few)
}

// pairOfImages is what one pair gave, in percent: AUC and share of the top, of novelty and of
// relative novelty.
type pairOfImages struct {
	Case     string
	Set      int
	AUC, Top [2]float64
}

func (p pairOfImages) Of() (string, int) { return p.Case, p.Set }

// relative measures pairs of images.
func relative(ctx context.Context, s report.Study, out io.Writer) error {
	all, err := report.Measure(ctx, s, []report.Case{{Name: "images", Sets: 10}},
		func(_, set int) (pairOfImages, error) {
			c, err := compareImages(ctx, rand.New(rand.NewPCG(s.Seed, uint64(set))))
			if err != nil {
				return pairOfImages{}, err
			}
			return pairOfImages{Case: "images", Set: set,
				AUC: [2]float64{100 * c.auc(c.novelty), 100 * c.auc(c.relative)},
				Top: [2]float64{100 * c.top(c.novelty), 100 * c.top(c.relative)}}, nil
		})
	if err != nil {
		return err
	}
	sets := all["images"]
	fmt.Fprint(out, "Patches of a synthetic image with a new disc and rare dots, beside one without the disc: "+
		"percent, mean and standard error\n\n| score | AUC of the disc | disc among the top 1% |\n|---|---|---|\n")
	for k, name := range []string{"novelty", "relative novelty"} {
		auc, aucSE := meanOver(sets, func(p pairOfImages) float64 { return p.AUC[k] })
		top, topSE := meanOver(sets, func(p pairOfImages) float64 { return p.Top[k] })
		fmt.Fprintf(out, "| %s | %.2f ± %.2f | %.1f ± %.1f |\n", name, auc, aucSE, top, topSE)
	}
	d, se := meanOver(sets, func(p pairOfImages) float64 { return p.Top[1] - p.Top[0] })
	verdict := "was not reproduced"
	if d > 3*se {
		verdict = "was reproduced"
	}
	_, err = fmt.Fprintf(out, "\nThe paper's claim that relative novelty finds what is new, and not what is "+
		"rare in both images, %s on these images.\n", verdict)
	return err
}

// meanOver is the mean over sets and its standard error.
func meanOver(sets map[int]pairOfImages, of func(pairOfImages) float64) (mean, se float64) {
	n := float64(len(sets))
	for k := range len(sets) {
		mean += of(sets[k]) / n
	}
	for k := range len(sets) {
		se += math.Pow(of(sets[k])-mean, 2)
	}
	return mean, math.Sqrt(se / max(n-1, 1) / n)
}

// drawRelative draws the second image of the first pair and both scores.
func drawRelative(ctx context.Context, path string, seed uint64) error {
	c, err := compareImages(ctx, rand.New(rand.NewPCG(seed, 0)))
	if err != nil {
		return err
	}
	score := func(title string, scores []float64) figure.Drawer {
		middle := slices.Clone(scores)
		slices.Sort(middle)
		return heat(title, places, func(i, j int) float64 { return scores[i*places+j] - middle[len(middle)/2] })
	}
	second := heat("second image: a disc is new, dots are not", imageSide,
		func(i, j int) float64 { return c.second[i*imageSide+j] })
	fig, err := figure.Panels(1, 3, "Relative novelty (synthetic images)", second,
		score("novelty beside the base", c.novelty), score("relative novelty", c.relative))
	if err != nil {
		return err
	}
	return atomicfile.Write(path, fig.WritePNG)
}

// heat draws a square of numbers, its first row above.
func heat(title string, side int, at func(i, j int) float64) figure.Surface {
	f := figure.Surface{Title: title, XLabel: "column", YLabel: "row, from below"}
	for i := range side {
		f.X, f.Y = append(f.X, float64(i+1)), append(f.Y, float64(i+1))
	}
	for j := range side {
		for i := range side {
			f.Mean = append(f.Mean, at(side-1-i, j))
		}
	}
	return f
}
