package figure

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
)

// rankCounts counts, for each chain, how many of its draws fall into each of bins equal parts of
// the ranks among all chains' draws (Vehtari et al. 2021, section 4.3). Ties have their mean rank.
func rankCounts(chains [][]float64, bins int) [][]float64 {
	type draw struct {
		value float64
		chain int
	}
	var all []draw
	for c, xs := range chains {
		for _, x := range xs {
			all = append(all, draw{x, c})
		}
	}
	slices.SortFunc(all, func(a, b draw) int {
		switch {
		case a.value < b.value:
			return -1
		case a.value > b.value:
			return 1
		}
		return a.chain - b.chain
	})
	counts := make([][]float64, len(chains))
	for c := range counts {
		counts[c] = make([]float64, bins)
	}
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j].value == all[i].value {
			j++
		}
		rank := (float64(i) + float64(j-1)) / 2 // from 0
		bin := min(int((rank+0.5)/float64(len(all))*float64(bins)), bins-1)
		for ; i < j; i++ {
			counts[all[i].chain][bin]++
		}
	}
	return counts
}

// rankBins is a number of bins with twenty draws of a chain expected in each, if there are enough.
func rankBins(n int) int { return min(max(n/20, 4), 20) }

// hypergeometric returns the smallest and largest count outside both tails of probability at most
// p. The count is of marked items among n drawn without replacement from total, marked of them
// marked. Independent draws of a chain fall into one bin of ranks with this distribution.
func hypergeometric(total, marked, n int, p float64) (lo, hi float64) {
	from, to := max(0, n+marked-total), min(n, marked)
	logChoose := func(a, b int) float64 {
		x, _ := math.Lgamma(float64(a + 1))
		y, _ := math.Lgamma(float64(b + 1))
		z, _ := math.Lgamma(float64(a - b + 1))
		return x - y - z
	}
	mass := func(k int) float64 {
		return math.Exp(logChoose(marked, k) + logChoose(total-marked, n-k) - logChoose(total, n))
	}
	tail, k := 0.0, from
	for ; k < to; k++ {
		if tail += mass(k); tail > p {
			break
		}
	}
	low := k
	tail = 0
	for k = to; k > low; k-- {
		if tail += mass(k); tail > p {
			break
		}
	}
	return float64(low), float64(k)
}

// ranks draws a strip for each chain: what its histogram of ranks has above and below the uniform
// line.
func (d *traces) ranks(s *scene, r vg.Rectangle, par *parameter, last bool) {
	chains := len(par.chains)
	if chains == 1 {
		txt := fit("(needs two chains)", noteFont, r.Max.X-r.Min.X)
		s.text(label{txt: txt, at: pt((r.Min.X+r.Max.X)/2, (r.Min.Y+r.Max.Y)/2),
			font: noteFont, color: soft, anchor: 0.5})
		return
	}
	total := 0
	for _, xs := range par.chains {
		total += len(xs)
	}
	gap := min(4, (r.Max.Y-r.Min.Y)/vg.Length(3*chains))
	height := (r.Max.Y - r.Min.Y + gap) / vg.Length(chains)
	for c, xs := range par.chains {
		if len(xs) > 0 {
			y := r.Max.Y - height*vg.Length(c)
			par.strip(s, rect(r.Min.X, y-height+gap, r.Max.X, y), c, total)
		}
	}
	if last {
		y := r.Min.Y - tickLength - tickGap - tickSize - labelGap - 0.72*labelSize
		txt := fit("ranks, with 99% band", labelFont, r.Max.X-r.Min.X+10)
		s.text(label{txt: txt, at: pt((r.Min.X+r.Max.X)/2, y), font: labelFont,
			color: ink, anchor: 0.5})
	}
}

// strip draws the ranks of chain c. The band holds a number of draws from a chain that is in
// neither tail of the hypergeometric distribution, 1% of probability shared among all bars.
func (par *parameter) strip(s *scene, r vg.Rectangle, c, total int) {
	n, bins := len(par.chains[c]), float64(par.bins)
	p := &panel{s: s, r: r}
	p.x = scale{min: 0, max: bins}
	expected := float64(n) / bins
	tail := 0.005 / (bins * float64(len(par.chains)))
	lo, hi := hypergeometric(total, (total+par.bins/2)/par.bins, n, tail)
	least, most := extent(par.counts[c])
	p.y.min, p.y.max = spread(min(lo, least), max(hi, most), 0.06)
	p.band([]float64{0, bins}, []float64{lo, lo}, []float64{hi, hi}, alpha(ink, 0.1))
	var bars vg.Path
	for b, k := range par.counts[c] {
		at := float64(b)
		bars = polygon(bars, []vg.Point{p.at(at+0.06, expected), p.at(at+0.06, k),
			p.at(at+0.94, k), p.at(at+0.94, expected)})
	}
	s.fill(bars, hue(c))
	p.level(expected, pen{color: ink, width: min(0.6, p.height()/20)})
}
