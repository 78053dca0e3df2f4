package page

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"bayeskernel/internal/figure"
)

// The pages of this file show synthetic data and say so. Witness functions and bands are computed
// from the data in the simplest way: empirical means of a kernel and their standard errors.

const syntheticNote = "The data are synthetic: drawn for this example."

func normals(rng *rand.Rand, n int, mean, sd float64) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = mean + sd*rng.NormFloat64()
	}
	return xs
}

func span(lo, hi float64, n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = lo + (hi-lo)*float64(i)/float64(n-1)
	}
	return xs
}

// moments are the mean of k((x - t)/theta) over the sample and its squared standard error.
func moments(k func(i int) float64, n int) (mean, variance float64) {
	ss := 0.0
	for i := range n {
		v := k(i)
		mean += v / float64(n)
		ss += v * v / float64(n)
	}
	return mean, (ss-mean*mean)/float64(n) + 0.5/float64(n)/float64(n)
}

func gauss(d float64) float64 { return math.Exp(-d * d / 2) }

// witness1 is the witness of two samples at a lengthscale, with a band of z standard errors.
func witness1(p, q, grid []float64, theta, z float64) figure.Ribbon {
	b := figure.Ribbon{X: grid}
	for _, t := range grid {
		m, v := moments(func(i int) float64 { return gauss((p[i] - t) / theta) }, len(p))
		if q != nil {
			mq, vq := moments(func(i int) float64 { return gauss((q[i] - t) / theta) }, len(q))
			m, v = m-mq, v+vq
		}
		half := z * math.Sqrt(v)
		b.Mean, b.Lower, b.Upper = append(b.Mean, m), append(b.Lower, m-half), append(b.Upper, m+half)
	}
	return b
}

// plane2 is the witness of two samples in the plane, with a band of z standard errors.
func plane2(p, q [][2]float64, names [2]string, theta, z float64, side int) figure.Witness2D {
	w := figure.Witness2D{Level: 0.95, X: span(-3.2, 3.6, side), Y: span(-3.2, 3.6, side),
		Samples: []figure.Cloud{{Name: names[0], Points: p}, {Name: names[1], Points: q}}}
	for _, x := range w.X {
		for _, y := range w.Y {
			k := func(c [][2]float64) func(i int) float64 {
				return func(i int) float64 { return gauss((c[i][0]-x)/theta) * gauss((c[i][1]-y)/theta) }
			}
			mp, vp := moments(k(p), len(p))
			mq, vq := moments(k(q), len(q))
			half := z * math.Sqrt(vp+vq)
			w.Mean = append(w.Mean, mp-mq)
			w.Lower, w.Upper = append(w.Lower, mp-mq-half), append(w.Upper, mp-mq+half)
		}
	}
	return w
}

func correlated(rng *rand.Rand, n int, r, shift float64) [][2]float64 {
	out := make([][2]float64, n)
	for i := range out {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		out[i] = [2]float64{a + shift, r*a + math.Sqrt(1-r*r)*b}
	}
	return out
}

func traces(rng *rand.Rand, names ...string) figure.Trace {
	t := figure.Trace{Names: names}
	for i := range names {
		var chains [][]float64
		for range 4 {
			xs, x := make([]float64, 1000), 0.0
			for k := range xs {
				x = 0.4*x + rng.NormFloat64()
				xs[k] = math.Exp(0.2*x) * (0.4 + 2*float64(i))
			}
			chains = append(chains, xs)
		}
		t.Chains = append(t.Chains, chains)
		t.RHat, t.ESS = append(t.RHat, 1.001+0.0004*float64(i)), append(t.ESS, 1720-210*float64(i))
	}
	return t
}

func chains(rng *rand.Rand) Section {
	return Section{
		Text: []string{"Four chains of 1000 draws agree: R-hat is at most 1.002."},
		Tables: []Table{{Head: []string{"", "mean", "MCSE", "sd", "5%", "50%", "95%", "ESS bulk",
			"ESS tail", "R-hat"},
			Rows: [][]string{
				{"theta", "0.4082", "0.0021", "0.0862", "0.2811", "0.4003", "0.5621", "1720", "2054", "1.001"},
				{"tau2", "2.513", "0.014", "0.5371", "1.712", "2.456", "3.480", "1510", "1893", "1.001"}},
			Note: "MCSE is the Monte Carlo standard error of the mean, ESS the effective number of draws. " +
				"R-hat compares the chains: near 1 they agree."}},
		Figures: []Figure{{Draw: traces(rng, "theta", "tau2"),
			Caption: "If the chains agree, their traces look alike and the bars of the rank plots are level."}},
	}
}

func again(command string) Again {
	return Again{Command: command, Version: "bkesample 0.9 (avx2)",
		Notes: []string{"The same seed and numerical path give the same files."},
		Files: []File{{"summary.json", "all numbers of this page"}, {"witness.csv",
			"the witness function with its band"}, {"figure.svg, figure.png", "the picture"}}}
}

func rests() Section {
	return Section{
		Text: []string{"The test compares the samples by two squared-exponential kernels, with " +
			"lengthscales 0.41 and 1.6. It is exact: it needs no assumption but that rows are exchangeable " +
			"if the samples have the same distribution.",
			"Theta is 0.41, with an honest 90% interval from 0.26 to 0.63. The posterior given these " +
				"pseudo-inputs has an sd of 0.086."},
		Notes: []string{"The band holds for all of the axis at once, at this lengthscale.",
			"p-values below 0.001 would need more than 999 permutations."},
	}
}

func settings() []Setting {
	return []Setting{{"kernel", "squared exponential"}, {"pseudo-inputs", "10 quantiles"},
		{"permutations", "999"}, {"level", "0.05"}, {"seed", "1"},
		{"sampler", "NUTS, 4 chains, 1000 warm-up and 1000 kept draws each, target acceptance 0.8"}}
}

func decimal(x float64) string { return strings.Replace(fmt.Sprintf("%.2f", x), "-", "−", 1) }

// examplePages is a page of each kind.
func examplePages() map[string]*Page {
	return map[string]*Page{
		"one-column-differ":   oneColumn(0.6),
		"one-column-alike":    oneColumn(0),
		"two-columns":         twoColumns(),
		"thirty-columns":      thirtyColumns(),
		"one-sample":          oneSample(),
		"independence":        independence(0.6),
		"independence-hardly": independence(0.05),
		"learn":               learned(),
	}
}

func oneColumn(shift float64) *Page {
	rng := rand.New(rand.NewPCG(1, 2))
	p, q := normals(rng, 400, 0, 1), normals(rng, 400, shift, 1)
	b := witness1(p, q, span(-3.4, 4, 200), 0.41, 2.9)
	w := figure.Witness1D{Title: "control and treated, n = 400 each", XLabel: "reaction time (z-score)",
		Level: 0.95, Band: b, Points: span(-1.6, 1.8, 10),
		Samples: []figure.Sample{{Name: "control", Values: p}, {Name: "treated", Values: q}}}
	null := figure.Null{Draws: make([]float64, 999), Statistic: 6.2, PValue: 0.001, Critical: math.NaN(),
		XLabel: "test statistic (sd above the null mean)"}
	for i := range null.Draws {
		null.Draws[i] = rng.NormFloat64() + 0.4*rng.ExpFloat64() - 0.4
	}
	page := &Page{About: "control.csv and treated.csv, column reaction_time, 400 rows each",
		Alerts: []string{syntheticNote}, Chains: chains(rng), Rests: rests(),
		Again: again("bkesample control.csv treated.csv -seed 1"), Settings: settings()}
	if shift == 0 {
		null.Statistic, null.PValue = 0.31, 0.386
		page.Title = "control and treated cannot be told apart (p = 0.386)"
		page.Sure.Text = []string{"Equal distributions are not rejected at 0.05 (p = 0.386). This does " +
			"not show that control and treated have the same distribution.",
			"Nothing is coloured: no place can be named."}
		w.Marks = []figure.Mark{{X: 0.4, Label: "largest difference"}}
	} else {
		w.Regions = figure.Excluded(b)
		page.Title = "control and treated differ, p = 0.001"
		for i, r := range w.Regions {
			page.Title += fmt.Sprintf("%s more of %s between %s and %s", []string{":", ","}[min(i, 1)],
				w.Samples[r.More].Name, decimal(r.From), decimal(r.To))
		}
		page.Sure.Text = []string{"The exact test rejects equal distributions at 0.05. p = 0.001, the " +
			"smallest that 999 permutations can give."}
		page.Sure.Tables = []Table{{Head: []string{"from", "to", "more of"}, Words: []int{2}}}
		for _, r := range w.Regions {
			page.Sure.Tables[0].Rows = append(page.Sure.Tables[0].Rows, []string{
				decimal(r.From), decimal(r.To), w.Samples[r.More].Name})
		}
		page.Sure.Notes = []string{"The regions are where a band that holds everywhere at once with " +
			"probability 95% excludes 0."}
	}
	page.Sure.Figures = []Figure{{Draw: null, Caption: "The statistic of the data among those of 999 " +
		"permutations."}}
	wide := w
	wide.Band = witness1(p, q, w.Band.X, 1.6, 2.7)
	wide.Regions, wide.Marks = nil, nil
	if shift > 0 {
		wide.Regions = figure.Excluded(wide.Band)
	}
	page.Figures = []Figure{{Draw: w, Caption: "Above: the samples. Below: the witness function, the " +
		"difference of the samples' mean embeddings, with its simultaneous 95% band."},
		{Draw: wide, Folded: true, Heading: "At the test's other scale, theta = 1.6",
			Caption: "The same with a kernel four times as wide."}}
	return page
}

func twoColumns() *Page {
	rng := rand.New(rand.NewPCG(3, 4))
	p, q := correlated(rng, 400, 0, 0), correlated(rng, 400, 0.7, 0.2)
	w := plane2(p, q, [2]string{"2019", "2020"}, 0.7, 3.1, 41)
	w.Title = "2019 and 2020, n = 400 each"
	w.XLabel, w.YLabel = "temperature (°C, standardised)", "wind (m/s, standardised)"
	w.Sides = figure.Sides(w.Lower, w.Upper)
	return &Page{Title: "2019 and 2020 differ, p = 0.001: more of 2020 where temperature and wind are " +
		"both high or both low", About: "weather.csv, columns temperature and wind, 400 rows each",
		Alerts: []string{syntheticNote}, Figures: []Figure{{Draw: w, Caption: "Coloured and outlined: " +
			"where a simultaneous 95% band excludes 0. Grey lines: the witness function elsewhere."}},
		Sure: Section{Text: []string{"p = 0.001, the smallest that 999 permutations can give."},
			Tables: []Table{{Head: []string{"place", "temperature", "wind", "more of"}, Words: []int{3},
				Rows: [][]string{{"1", "1.4", "1.3", "2020"}, {"2", "−1.2", "1.1", "2019"}}}}},
		Chains: chains(rng), Rests: rests(), Again: again("bkesample weather.csv -label year"),
		Settings: settings()}
}

func thirtyColumns() *Page {
	rng := rand.New(rand.NewPCG(5, 6))
	f := figure.Forest{Title: "Each column's own test", Correction: "Holm", Alpha: 0.05}
	for i := range 30 {
		name := fmt.Sprintf("gene_%02d", i+1)
		if i == 7 {
			name = "a_column_with_quite_a_long_name_as_they_come_from_laboratories"
		}
		p := 0.001 * math.Ceil(1000*rng.Float64())
		if i%9 == 0 {
			p = 0.0001 * float64(1+i/9)
		}
		f.Names, f.P = append(f.Names, name), append(f.P, p)
		f.Corrected = append(f.Corrected, min(1, p*float64(30-i/4)))
	}
	pairs := figure.Pairs{Title: "The pairs of columns with the strongest differences"}
	for i := range 6 {
		p, q := correlated(rng, 300, 0, 0), correlated(rng, 300, 0.9-0.15*float64(i), 0.1)
		w := plane2(p, q, [2]string{"healthy", "ill"}, 0.7, 3.1, 31)
		w.XLabel, w.YLabel = fmt.Sprintf("gene_%02d", 9*(i%4)+1), fmt.Sprintf("gene_%02d", 2*i+2)
		if i < 4 {
			w.Sides = figure.Sides(w.Lower, w.Upper)
		}
		pairs.Planes, pairs.P = append(pairs.Planes, w), append(pairs.P, 0.003*math.Pow(2.4, float64(i)))
	}
	return &Page{Title: "healthy and ill differ, p = 0.001: most in gene_01 with gene_02",
		About: "expression.csv, 30 columns, 300 rows each", Alerts: []string{syntheticNote},
		Figures: []Figure{{Draw: pairs, Heading: "The pairs of columns with the strongest differences",
			Caption: "Coloured and outlined: where a simultaneous 95% band excludes 0. p-values are corrected " +
				"for the number of pairs."},
			{Draw: f, Heading: "Each column's own test", Caption: "Diamonds: columns that differ at 0.05 " +
				"after Holm's correction for 30 columns."}},
		Sure: Section{Text: []string{"p = 0.001, the smallest that 999 permutations can give. Four of 30 " +
			"columns differ on their own after Holm's correction."}},
		Chains: chains(rng), Rests: rests(), Again: again("bkesample expression.csv -label group"),
		Settings: settings()}
}

func oneSample() *Page {
	rng := rand.New(rand.NewPCG(7, 8))
	p := append(normals(rng, 150, -1.2, 0.5), normals(rng, 250, 1, 0.8)...)
	w := figure.Witness1D{Title: "Mean embedding of eruptions, n = 400", XLabel: "waiting time (min)",
		Level: 0.8, Band: witness1(p, nil, span(-3.4, 4, 200), 0.3, 1.28),
		Samples: []figure.Sample{{Name: "eruptions", Values: p}}, Points: span(-1.6, 1.8, 10)}
	return &Page{Title: "eruptions has a mean embedding with two peaks, near −1.2 and 1.0",
		About: "eruptions.csv, column waiting, 400 rows", Alerts: []string{syntheticNote},
		Figures: []Figure{{Draw: w, Caption: "Above: the sample. Below: the posterior mean of the mean " +
			"embedding with its 80% band at each point."}},
		Sure:   Section{Text: []string{"The 80% band is at most 0.03 wide on either side."}},
		Chains: chains(rng), Rests: rests(), Again: again("bkesample sample eruptions.csv"),
		Settings: settings()}
}

func independence(r float64) *Page {
	rng := rand.New(rand.NewPCG(9, 10))
	pairs := correlated(rng, 400, r, 0)
	d := figure.Dependence{Title: "height and weight, n = 400", Pairs: pairs, Level: 0.95,
		X: span(-3.2, 3.2, 41), Y: span(-3.2, 3.2, 41), XLabel: "height (cm, standardised)",
		YLabel: "weight (kg, standardised)"}
	for _, x := range d.X {
		for _, y := range d.Y {
			kx, _ := moments(func(i int) float64 { return gauss((pairs[i][0] - x) / 0.6) }, len(pairs))
			ky, _ := moments(func(i int) float64 { return gauss((pairs[i][1] - y) / 0.6) }, len(pairs))
			m, v := moments(func(i int) float64 {
				return (gauss((pairs[i][0]-x)/0.6) - kx) * (gauss((pairs[i][1]-y)/0.6) - ky)
			}, len(pairs))
			half := 3.1 * math.Sqrt(v)
			d.Mean = append(d.Mean, m)
			d.Lower, d.Upper = append(d.Lower, m-half), append(d.Upper, m+half)
		}
	}
	page := &Page{About: "people.csv, columns height and weight, 400 rows",
		Alerts: []string{syntheticNote}, Rests: rests(),
		Again: again("bkesample independence -x height -y weight people.csv"), Settings: settings()}
	if r > 0.3 {
		d.Sides = figure.Sides(d.Lower, d.Upper)
		page.Title = "height and weight are dependent, p = 0.001: more pairs with both high or both low"
		page.Sure.Text = []string{"p = 0.001, the smallest that 999 permutations can give."}
	} else {
		page.Title = "Independence of height and weight is not rejected (p = 0.089)"
		page.Sure.Text = []string{"Independence is not rejected at 0.05 (p = 0.089). This does not show " +
			"that they are independent."}
	}
	page.Figures = []Figure{{Draw: d, Caption: "Coloured: where there are more pairs, or fewer, than " +
		"there would be if the variables were independent. Nothing is coloured where no pairs would be " +
		"expected either way."}}
	return page
}

func learned() *Page {
	p := figure.Profile{Title: "Log pseudolikelihood of theta", XLabel: "lengthscale theta (kg)",
		Modes:   []figure.Mark{{X: 0.41, Y: 512.4, Label: "mode 0.41"}},
		Medians: []figure.Mark{{X: 1.19, Label: "median heuristic"}}}
	for i := range 300 {
		theta := 0.02 * math.Pow(10/0.02, float64(i)/299)
		u := math.Log(theta / 0.41)
		p.Theta = append(p.Theta, theta)
		p.LogLik = append(p.LogLik, 512.4-60*u*u/(1+0.3*math.Abs(u)))
	}
	return &Page{Title: "The data choose theta = 0.41 kg, with an honest 90% interval from 0.26 to 0.63",
		About: "mesquite.csv, column weight, 400 rows", Alerts: []string{syntheticNote},
		Figures: []Figure{{Draw: p, Caption: "The log pseudolikelihood of the lengthscale, with its mode."}},
		Sure: Section{Text: []string{"The interval counts how much theta would move with other data and " +
			"other pseudo-inputs."},
			Tables: []Table{{Head: []string{"", "theta", "90% interval", "sd of log theta"}, Rows: [][]string{{"honest", "0.41", "0.26 to 0.63", "0.27"},
				{"given these pseudo-inputs", "0.41", "0.36 to 0.47", "0.078"}}}}},
		Rests: rests(), Again: again("bkesample learn mesquite.csv"), Settings: settings()}
}

// nastyPage has long names, long words, large and small numbers and little data.
func nastyPage() *Page {
	p := oneColumn(0.6)
	const long = "a_measurement_with_a_name_without_any_spaces_as_long_as_a_line_of_a_book_or_longer"
	w := p.Figures[0].Draw.(figure.Witness1D)
	w.XLabel, w.YLabel = long, "witness of "+long
	w.Samples = []figure.Sample{{Name: long + "_1", Values: w.Samples[0].Values},
		{Name: long + "_2", Values: w.Samples[1].Values}}
	w.Marks = []figure.Mark{{X: -2, Label: "one place"}, {X: -1.9, Label: "another place"},
		{X: 3.9, Label: "the last place of them"}}
	far := plane2(correlated(rand.New(rand.NewPCG(1, 1)), 30, 0, 0),
		correlated(rand.New(rand.NewPCG(1, 2)), 3, 0.9, 0), [2]string{long, "ж 界 ü"}, 1, 3, 7)
	far.XLabel, far.YLabel = long, long
	for i := range far.X {
		far.X[i] = 1e7 + 1e-3*far.X[i]
	}
	for _, c := range far.Samples {
		for i := range c.Points {
			c.Points[i][0] = 1e7 + 1e-3*c.Points[i][0]
		}
	}
	tiny := traces(rand.New(rand.NewPCG(2, 2)), long, "θ", "c", "d", "e", "f", "g")
	for i := range tiny.Chains[1] {
		for k := range tiny.Chains[1][i] {
			tiny.Chains[1][i][k] *= 1e-12
		}
	}
	p.Figures = []Figure{{Draw: w}, {Draw: far, Heading: long}, {Draw: tiny, Caption: long},
		{Draw: figure.Forest{Names: []string{long, "b"}, P: []float64{1e-12, 0.5},
			Corrected: []float64{2e-12, 0.5}, Alpha: 0.05}},
		{Draw: figure.Pairs{Planes: []figure.Witness2D{far, far}, P: []float64{1e-12, math.NaN()}}}}
	p.Title, p.About = long+" and "+long+" differ", long
	p.Alerts = append(p.Alerts, long)
	p.Settings = append(p.Settings, Setting{long, long})
	p.Again.Command = "bkesample " + long + ".csv " + long + ".csv"
	p.Again.Files = append(p.Again.Files, File{long, long})
	p.More = []Section{{Heading: long, Text: []string{long}, Tables: []Table{{Words: []int{1},
		Head: []string{long, "a", "b"}, Rows: [][]string{{long, long, "−1.234e−12"}}}}}}
	return p
}
