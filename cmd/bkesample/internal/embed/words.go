package embed

import (
	"fmt"
	"math"

	"bayeskernel/cmd/bkesample/internal/tests"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/report"
)

// ends are the closest and the farthest pair.
func (r *result) ends() (near, far [2]int) {
	near, far = [2]int{1, 0}, [2]int{1, 0}
	for i := range r.data.Names {
		for j := range i {
			if d := r.distance.At(i, j); d < r.distance.At(near[0], near[1]) {
				near = [2]int{i, j}
			} else if d > r.distance.At(far[0], far[1]) {
				far = [2]int{i, j}
			}
		}
	}
	return near, far
}

// pair names two samples and their distance.
func (r *result) pair(p [2]int) string {
	return fmt.Sprintf("%s and %s (%s)", r.data.Names[p[1]], r.data.Names[p[0]],
		report.Short(r.distance.At(p[0], p[1])))
}

// finding is the first sentence of the report.
func (r *result) finding() string {
	near, far := r.ends()
	k := len(r.data.Names)
	if k == 2 {
		return fmt.Sprintf("The distance between %s and %s is %s.", r.data.Names[near[1]],
			r.data.Names[near[0]], report.Short(r.distance.At(near[0], near[1])))
	}
	return fmt.Sprintf("Of %d samples the closest pair is %s, and the farthest %s.", k, r.pair(near),
		r.pair(far))
}

// title is the finding in a few words.
func (r *result) title() string {
	near, far := r.ends()
	k := len(r.data.Names)
	if k == 2 {
		return "Distance of " + r.pair(near)
	}
	return fmt.Sprintf("%d samples: %s and %s are nearest, %s and %s farthest", k, r.data.Names[near[1]],
		r.data.Names[near[0]], r.data.Names[far[1]], r.data.Names[far[0]])
}

// shown says how much of the distances the map shows.
func (r *result) shown() string {
	return fmt.Sprintf("The map shows %s of the sum of all squared distances; its first coordinate %s.",
		percent(r.share[1]), percent(r.share[0]))
}

// percent writes a share in percent; a share below 1 is never rounded to all.
func percent(v float64) string {
	if v < 1-1e-9 && v > 0.9995 {
		return "more than 99.9%"
	}
	return fmt.Sprintf("%.3g%%", 100*v)
}

// notes say what the distances cannot show.
func (r *result) notes() []string {
	least, most := math.Inf(1), 0.0
	for i := range r.data.Names {
		for j := range i {
			d := math.Sqrt(r.risk[i] + r.risk[j])
			least, most = min(least, d), max(most, d)
		}
	}
	about := "about " + report.Short(least)
	if report.Short(least) != report.Short(most) {
		about = fmt.Sprintf("%s to %s", report.Short(least), report.Short(most))
	}
	before := ""
	if r.flags.shrink != "none" {
		before = ", before they are shrunk"
	}
	out := []string{fmt.Sprintf("By chance alone the embeddings of two samples of these sizes from one "+
		"distribution are %s apart%s (the root of the sum of their squared errors). Whether two samples "+
		"differ is for bkesample twosample to say.", about, before)}
	if r.unshrunk > 0 {
		are := "are"
		if r.unshrunk == 1 {
			are = "is"
		}
		out = append(out, fmt.Sprintf("%s of more than 1000 rows %s not shrunk: it would gain less than a "+
			"hundredth.", cli.Plural(r.unshrunk, "sample"), are))
	}
	if r.landmarks > 0 {
		out = append(out, fmt.Sprintf("With so many rows the kernel is replaced by its projection on %d "+
			"landmarks, rows chosen by pivoted Cholesky; what they leave of k(x, x) = 1 is at most %s.",
			r.landmarks, report.Short(r.left)))
	}
	return out
}

// basis says how the distances are defined.
func (r *result) basis() []string {
	how := map[string]string{
		"none": "The embeddings are the empirical ones.",
		"simple": "Each embedding is shrunk towards zero by one factor, the best by leave-one-out (Muandet " +
			"et al., 2014).",
		"flexible": "Each embedding is shrunk along the eigenvectors of its Gram matrix, as much as is best " +
			"by leave-one-out (Muandet et al., 2014).",
	}
	if r.flags.shrink != "none" {
		how[r.flags.shrink] += " Those of few rows are shrunk most, and so they are nearer to each other."
	}
	return []string{"The distance of two samples is the maximum mean discrepancy: that of their mean " +
		"embeddings under the kernel. " + how[r.flags.shrink],
		tests.KernelSentence("", r.kernel) + " All rows together chose it, blind to which sample they are of.",
		r.shown() + " It is by classical scaling."}
}
