package formula

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// sweeps is how often the means of each group are taken from what others leave.
const sweeps = 20

// precisions are moments of how precisely the rows of each level determine its effects, each given the others and those of groups that are
// not within it, in the units of the program, by groups and columns: sums of the squares of the column over the variance of a row; of intercepts of groups
// that others are within, the sum of 1/(variance between these + 1/their precision). They choose coordinates alone: the
// posterior is the same for any. They are nil where no rows are left to tell a variance.
func (r *Regression) precisions(n *nest) [][][]float64 {
	z, weight := r.working()
	e := leftOver(r.X, z)
	if e == nil {
		return nil
	}
	at := make([][]int, len(r.Groups))
	all := make([]int, len(r.Groups))
	for k := range r.Groups {
		at[k], all[k] = r.codes(k), k
	}
	if weight == nil {
		left := len(e)
		if r.X != nil {
			_, d := r.X.Dims()
			left -= d
		}
		for k := range r.Groups {
			left -= r.freedom(k)
		}
		if left <= 0 {
			return nil
		}
		noise := slices.Clone(e)
		r.takeMeans(noise, at, all)
		variance := squares(noise) / float64(left)
		if !(variance > 0) {
			return nil
		}
		weight = slices.Repeat([]float64{1 / variance}, len(e))
	}
	out := make([][][]float64, len(r.Groups))
	for c := len(n.order) - 1; c >= 0; c-- { // inner groups first
		k := n.order[c]
		g := &r.Groups[k]
		child := n.child(k)
		for j := range g.Design.Names {
			own := make([]float64, len(g.Levels))
			if out[k] = append(out[k], own); j == 0 && child >= 0 {
				between, seen := r.between(e, at, n, child, out[child][0]), make([]bool, len(out[child][0]))
				for i, l := range at[child] {
					if !seen[l] {
						seen[l] = true
						own[at[k][i]] += 1 / (between + 1/out[child][0][l])
					}
				}
				continue
			}
			for i, l := range at[k] {
				z := g.columns.At(i, j) * r.size
				own[l] += z * z * weight[i]
			}
		}
	}
	return out
}

// between is a moment of the variance of the effects of group k, in the units of the program.
func (r *Regression) between(e []float64, at [][]int, n *nest, k int, known []float64) float64 {
	levels := len(known)
	means := levelMeans(e, at[k], levels)
	outer := make([][]int, len(r.Groups))
	left := levels - 1
	for _, j := range n.within[k] {
		outer[j] = make([]int, levels)
		for i, l := range at[k] {
			outer[j][l] = at[j][i]
		}
		if n.parent(k) < 0 || n.parent(k) == j {
			left -= len(r.Groups[j].Levels) - 1
		}
	}
	if left <= 0 {
		return 0
	}
	r.takeMeans(means, outer, n.within[k])
	noise := 0.0
	for _, p := range known {
		noise += 1 / p / float64(levels)
	}
	return max(0, squares(means)/float64(left)/(r.size*r.size)-noise)
}

// takeMeans takes the means of levels of some groups from values, and the mean of all.
func (r *Regression) takeMeans(v []float64, at [][]int, groups []int) {
	mean := 0.0
	for i, x := range v {
		mean += (x - mean) / float64(i+1)
	}
	for i := range v {
		v[i] -= mean
	}
	for range sweeps {
		for _, k := range groups {
			means := levelMeans(v, at[k], len(r.Groups[k].Levels))
			for i, l := range at[k] {
				v[i] -= means[l]
			}
		}
	}
}

// levelMeans are the means of the values of each level.
func levelMeans(v []float64, at []int, levels int) []float64 {
	out, count := make([]float64, levels), make([]float64, levels)
	for i, l := range at {
		count[l]++
		out[l] += (v[i] - out[l]) / count[l]
	}
	return out
}

// freedom is how many degrees of freedom the levels of group k take, beside those of groups within it.
func (r *Regression) freedom(k int) int {
	g := &r.Groups[k]
	for j := range r.Groups {
		if h := &r.Groups[j]; j != k && len(h.Levels) > len(g.Levels) && h.within(g) || j < k && h.Name == g.Name {
			return 0
		}
	}
	return len(g.Levels) - 1
}

func squares(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	return sum
}

// codes number the levels of group k in the order in which they occur, as those of the program.
func (r *Regression) codes(k int) []int {
	at := map[string]int{}
	out := make([]int, len(r.Groups[k].rows))
	for i, l := range r.Groups[k].rows {
		if _, ok := at[l]; !ok {
			at[l] = len(at)
		}
		out[i] = at[l]
	}
	return out
}

// working are the responses on the scale of the sum of terms, without offsets, and how precise each is; nil where a variance is to be found.
func (r *Regression) working() (e, weight []float64) {
	z := make([]float64, len(r.Y))
	for i, y := range r.Y {
		switch {
		case r.family.categories:
			weight = append(weight, .25)
		case r.family.discrete && r.family.link == logit:
			n := 1.0
			if r.trials != nil {
				n = r.trials[i]
			}
			p := (y + .5) / (n + 1)
			z[i], weight = math.Log(p/(1-p)), append(weight, n*p*(1-p))
		case r.family.discrete:
			z[i], weight = math.Log(y+.5), append(weight, y+.5)
		case r.family.link == logit:
			z[i] = math.Log(y / (1 - y))
		case r.family.link == logLink || r.Family == "lognormal":
			z[i] = math.Log(y)
		default:
			z[i] = y
		}
		if r.offset != nil {
			z[i] -= r.offset[i]
		}
	}
	return z, weight
}

// leftOver is what least squares of some columns leave; nil if they fail.
func leftOver(x *mat.Dense, z []float64) []float64 {
	if x == nil {
		return z
	}
	var b, fit mat.VecDense
	if err := b.SolveVec(x, mat.NewVecDense(len(z), z)); err != nil {
		return nil
	}
	fit.MulVec(x, &b)
	out := slices.Clone(z)
	for i := range out {
		out[i] -= fit.AtVec(i)
	}
	return out
}

// guess is what the rows of each level of group k say of its sum v, in the units of the program: a choice of coordinates, too.
func (r *Regression) guess(k int, rest *mat.Dense) []float64 {
	z, _ := r.working()
	for i := range z {
		z[i] = (z[i] - r.level) / r.size
	}
	levels, at := len(r.Groups[k].Levels), r.codes(k)
	if rest != nil { // least squares within the levels
		var b mat.VecDense
		inside := mat.DenseCopyOf(rest)
		n, d := inside.Dims()
		for j := range d {
			m := levelMeans(mat.Col(nil, j, rest), at, levels)
			for i := range n {
				inside.Set(i, j, rest.At(i, j)-m[at[i]])
			}
		}
		if b.SolveVec(inside, mat.NewVecDense(n, z)) == nil {
			var fit mat.VecDense
			fit.MulVec(rest, &b)
			for i := range z {
				z[i] -= fit.AtVec(i)
			}
		}
	}
	return levelMeans(z, at, levels)
}
