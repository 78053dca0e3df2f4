package novelty

import (
	"fmt"
	"math"
	"strconv"

	"bayeskernel/cmd/bkesample/internal/tests"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/report"
)

// known is the number of rows of the first sample.
func (r *result) known() int {
	n, _ := r.data.P.Dims()
	return n
}

// smallestP is the smallest p-value possible with this number of ranked rows.
func (r *result) smallestP() float64 { return 1 / float64(r.ranked+1) }

// level is the level of the list, in words.
func (r *result) level() string { return strconv.FormatFloat(r.flags.alpha, 'g', -1, 64) }

// method says how the p-values were computed.
func (r *result) method() string {
	if r.full {
		return "full"
	}
	return "split"
}

// outermost is how many new rows have the smallest p-value there can be, where these are more than chance puts there: two
// and at least twice as many as are expected.
func (r *result) outermost() int {
	n := 0
	for _, p := range r.p {
		if p <= r.smallestP()*(1+1e-12) {
			n++
		}
	}
	if n < 2 || float64(n) < 2*r.smallestP()*float64(len(r.p)) {
		return 0
	}
	return n
}

// needed is how many rows with the smallest p-value it takes for the list to have any.
func (r *result) needed() float64 {
	return math.Ceil(r.smallestP() * float64(len(r.p)) / r.flags.alpha * (1 - 1e-12))
}

// finding is the first sentence of the report.
func (r *result) finding() string {
	if n := r.outermost(); r.listed == 0 && n > 0 {
		enough := math.Ceil(float64(len(r.p))/(r.flags.alpha*float64(n))) - 1
		such := ""
		if need := r.needed(); need <= float64(len(r.p)) {
			such = fmt.Sprintf("%.0f such rows here, or ", need)
		}
		return fmt.Sprintf("No row of %s can be called novel relative to %s at level %s, corrected for %s: %d lie further out than all %d "+
			"rows of %s that they are ranked among, which is p = %s, and it takes %s%.0f rows to rank among.", r.data.QName,
			r.data.PName, r.level(), cli.Plural(len(r.p), "row"), n, r.ranked, r.data.PName, report.Short(r.smallestP()), such, enough)
	}
	if r.listed == 0 {
		return fmt.Sprintf("No row of %s is novel relative to %s at level %s, corrected for %s. The most novel, "+
			"row %d, has p = %s.", r.data.QName, r.data.PName, r.level(), cli.Plural(len(r.p), "row"),
			r.data.RowOf(1, r.order[0]), report.Short(r.p[r.order[0]]))
	}
	are, row := "are", "rows"
	if r.listed == 1 {
		are, row = "is", "row"
	}
	return fmt.Sprintf("%d of %s of %s %s novel relative to %s at level %s, corrected for their number: %s %s.",
		r.listed, cli.Plural(len(r.p), "row"), r.data.QName, are, r.data.PName, r.level(), row,
		r.numbers())
}

// numbers names the listed rows, the most novel first, the last ones by how many they are.
func (r *result) numbers() string {
	var names []string
	for _, i := range r.order[:r.listed] {
		names = append(names, strconv.Itoa(r.data.RowOf(1, i)))
	}
	if more := len(names) - cli.MostNamed; more > 0 {
		names = append(names[:cli.MostNamed], cli.Plural(more, "other"))
	}
	return cli.AndList(names)
}

// title is the finding in a few words.
func (r *result) title() string {
	switch n := r.outermost(); {
	case r.listed == 0 && n > 0:
		return fmt.Sprintf("No row of %s can be called novel relative to %s: %d lie further out than all %d rows that they "+
			"are ranked among, which are too few", r.data.QName, r.data.PName, n, r.ranked)
	case r.listed == 0 && r.needed() > float64(len(r.p)):
		return fmt.Sprintf("No row of %s can be called novel relative to %s: %d rows are too few to rank among", r.data.QName,
			r.data.PName, r.ranked)
	case r.listed == 0:
		return fmt.Sprintf("No row of %s is novel relative to %s (smallest p = %s)", r.data.QName, r.data.PName,
			report.Short(r.p[r.order[0]]))
	}
	return fmt.Sprintf("%d of %s of %s novel relative to %s", r.listed, cli.Plural(len(r.p), "row"),
		r.data.QName, r.data.PName)
}

// guarantee says what the p-values and the list guarantee, and under which assumptions.
func (r *result) guarantee() []string {
	set := fmt.Sprintf(" (%d others were fitted)", r.part)
	if r.full {
		set = fmt.Sprintf(" (the other %d chose the kernel)", r.part)
	}
	p := fmt.Sprintf("If a row of %s and the %d rows of %s that it is ranked among%s are exchangeable, as "+
		"independent draws of one distribution are, its p-value is at most a with probability at most a, "+
		"for any a and any distribution. Rows that depend on their neighbours, as in a time series, are "+
		"not exchangeable.", r.data.QName, r.ranked, r.data.PName, set)
	q := fmt.Sprintf("q is p corrected by Benjamini and Hochberg's method: of the rows with q at most %s, "+
		"a share of at most %s is expected not to be novel. ", r.level(), r.level())
	if r.full {
		return []string{p, q + "This is proven for -calibrate split with independent rows; with full, whose " +
			"p-values depend on each other in another way, it is not."}
	}
	return []string{p, q + "This holds if the rows are independent (Bates, Candès, Lei, Romano and " +
		"Sesia, 2023)."}
}

// notes say what the reader should know about the sample sizes.
func (r *result) notes() []string {
	var out []string
	least, m := r.smallestP(), len(r.p)
	switch need := r.needed(); {
	case need > float64(m):
		more := ""
		if !r.full {
			more = ", or -calibrate full, which ranks among more of them"
		}
		out = append(out, fmt.Sprintf("Among %d rows no p-value is below %s: no row can be listed at this "+
			"level. It takes more rows of %s%s.", r.ranked, report.Short(least), r.data.PName, more))
	case need > 1:
		out = append(out, fmt.Sprintf("Among %d rows no p-value is below %s: with %d rows to correct for, "+
			"either none is listed or at least %.0f are.", r.ranked, report.Short(least), m, need))
	}
	if left := r.known() - r.part - r.ranked; left > 0 {
		out = append(out, fmt.Sprintf("%s of %s, drawn at random, are not used: %d are fitted and %d ranked.",
			cli.Plural(left, "row"), r.data.PName, r.fitted, r.ranked))
	}
	return out
}

// scoreWords says what a score is.
const scoreWords = "The score is by how much the log density of the kernel Student-t is lower at the row " +
	"than at the median row of the first sample: the larger, the more novel."

// whyWords says what the falls of columns are.
const whyWords = "A column makes a row novel by how much the score falls if this column alone takes a value " +
	"usual for the first sample, the best of some quantiles, and the others stay. It is large where the " +
	"column is out of line, or does not go with the others."

// basis says what the finding is based on.
func (r *result) basis() []string {
	kernel := tests.KernelSentence("", r.kernel)
	if r.kernel.Scaling != nil || r.flags.kernel.Rule() != "-theta" {
		kernel += fmt.Sprintf(" It was chosen by %d of the %d rows of %s, drawn at random.", r.part,
			r.known(), r.data.PName)
	}
	kernel += " A linear kernel with a hundredth of its variance is added, so that of two rows far away the " +
		"farther one has the higher score."
	out := []string{scoreWords, kernel}
	if len(r.why) > 0 {
		out = append(out, whyWords)
	}
	return out
}
