package power

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// curve is the power by the number of rows n, of which a share Phi(a + b sqrt(n)) of data sets is rejected: what a test has
// whose statistic is nearly normal. It is fitted to all sizes near the one that is looked for. The power of a size that was
// chosen for its own share of rejections would be too high.
type curve struct {
	a, b          float64
	aa, ab, bb    float64 // the covariance of a and b
	target, level float64
}

// near is the ratio of sizes to the one found within which they enter the curve.
const near = 3

// newCurve fits the sizes around n by maximum likelihood. It reports false if the power does not grow with them.
func newCurve(sizes []size, n int, target float64) (c curve, ok bool) {
	c = curve{target: target, level: level}
	var used []size
	for _, s := range sizes {
		if s.rows <= near*n && n <= near*s.rows {
			used = append(used, s)
		}
	}
	normal := distuv.UnitNormal
	// Fisher's scoring, from the line through the wanted power.
	c.b = 1 / math.Sqrt(float64(n))
	c.a = normal.Quantile(target) - 1
	for range 50 {
		var h11, h12, h22, g1, g2 float64
		for _, s := range used {
			x := math.Sqrt(float64(s.rows))
			eta := c.a + c.b*x
			p := min(max(normal.CDF(eta), 1e-9), 1-1e-9)
			d := normal.Prob(eta)
			tested := float64(s.Replicates)
			w := tested * d * d / (p * (1 - p))
			r := (float64(s.Rejected) - tested*p) * d / (p * (1 - p))
			h11, h12, h22 = h11+w, h12+w*x, h22+w*x*x
			g1, g2 = g1+r, g2+r*x
		}
		det := h11*h22 - h12*h12
		if !(det > 1e-9*h11*h22) {
			return c, false
		}
		c.aa, c.ab, c.bb = h22/det, -h12/det, h11/det
		da, db := c.aa*g1+c.ab*g2, c.ab*g1+c.bb*g2
		c.a, c.b = c.a+da, c.b+db
		if math.Abs(da)+math.Abs(db)*math.Sqrt(float64(n)) < 1e-10 {
			return c, c.b > 0
		}
	}
	return c, false
}

// at is the power with n rows, and its interval.
func (c curve) at(n int) (power, lower, upper float64) {
	x := math.Sqrt(float64(n))
	eta := c.a + c.b*x
	half := distuv.UnitNormal.Quantile((1+c.level)/2) * math.Sqrt(c.aa+2*c.ab*x+c.bb*x*x)
	cdf := distuv.UnitNormal.CDF
	return cdf(eta), cdf(eta - half), cdf(eta + half)
}

// rows is the smallest number with the wanted power, and the ends of its interval; 0 for one that is above most. The
// interval goes as far from the number as the power's has the wanted one in it.
func (c curve) rows(most int) (n, from, to int) {
	n = 1
	for ; n <= most; n++ {
		if power, _, _ := c.at(n); power >= c.target {
			break
		}
	}
	if n > most {
		return 0, 0, 0
	}
	for from = n; from > 1; from-- {
		if _, _, upper := c.at(from - 1); upper < c.target {
			break
		}
	}
	for to = n; to <= most; to++ {
		if _, lower, _ := c.at(to); lower >= c.target {
			return n, from, to
		}
	}
	return n, from, 0
}
