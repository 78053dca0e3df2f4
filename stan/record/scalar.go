package record

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"bayeskernel/engine"
	"bayeskernel/internal/density"
)

// tables are what instructions on numbers call: the functions below, and the density and the two tails of
// each family.
var tables = newTables()

func newTables() *engine.Tables {
	out := &engine.Tables{}
	for _, f := range allUnaries() {
		out.Unary = append(out.Unary, engine.Function1(f))
	}
	for _, f := range allBinaries() {
		out.Binary = append(out.Binary, engine.Function2(f))
	}
	for _, f := range density.All() {
		for _, tail := range []engine.Tail{engine.Whole, engine.Below, engine.Above} {
			out.Families = append(out.Families, engine.FamilyPart{Family: f, Tail: tail})
		}
	}
	return out
}

type (
	unaryFunction struct {
		Name string
		F    func(x float64) float64
		D    func(x, v float64) float64
	}
	binaryFunction struct {
		Name string
		F    func(x, y float64) float64
		D    func(x, y, v float64) (dx, dy float64)
	}
)

func allUnaries() []unaryFunction   { return slices.Concat(unaries, specialUnaries) }
func allBinaries() []binaryFunction { return slices.Concat(binaries, specialBinaries) }

// unaries are functions of one number with their derivatives, given the number and the value.
var unaries = []unaryFunction{
	{"sqrt", math.Sqrt, func(x, v float64) float64 { return 0.5 / v }},
	{"cbrt", math.Cbrt, func(x, v float64) float64 { return v / (3 * x) }},
	{"inv", func(x float64) float64 { return 1 / x }, func(x, v float64) float64 { return -v * v }},
	{"inv_sqrt", func(x float64) float64 { return 1 / math.Sqrt(x) }, func(x, v float64) float64 { return -0.5 * v / x }},
	{"inv_square", func(x float64) float64 { return 1 / (x * x) }, func(x, v float64) float64 { return -2 * v / x }},
	{"exp2", math.Exp2, func(x, v float64) float64 { return v * math.Ln2 }},
	{"log2", math.Log2, func(x, v float64) float64 { return 1 / (x * math.Ln2) }},
	{"log10", math.Log10, func(x, v float64) float64 { return 1 / (x * math.Ln10) }},
	{"log1p", math.Log1p, func(x, v float64) float64 { return 1 / (1 + x) }},
	{"log1m", func(x float64) float64 { return math.Log1p(-x) }, func(x, v float64) float64 { return -1 / (1 - x) }},
	{"log1p_exp", density.Softplus, func(x, v float64) float64 { return density.Expit(x) }},
	{"log1m_exp", density.Log1mExp, func(x, v float64) float64 { return -1 / math.Expm1(-x) }},
	{"log_inv_logit", func(x float64) float64 { return -density.Softplus(-x) }, func(x, v float64) float64 { return density.Expit(-x) }},
	{"log1m_inv_logit", func(x float64) float64 { return -density.Softplus(x) }, func(x, v float64) float64 { return -density.Expit(x) }},
	{"expm1", math.Expm1, func(x, v float64) float64 { return math.Exp(x) }},
	{"inv_logit", density.Expit, func(x, v float64) float64 { return v * density.Expit(-x) }},
	{"logit", func(x float64) float64 { return math.Log(x / (1 - x)) }, func(x, v float64) float64 { return 1 / (x * (1 - x)) }},
	{"inv_cloglog", func(x float64) float64 { return -math.Expm1(-math.Exp(x)) }, func(x, v float64) float64 { return math.Exp(x - math.Exp(x)) }},
	{"Phi", func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }, func(x, v float64) float64 { return normalDensity(x) }},
	{"inv_Phi", normalQuantile, func(x, v float64) float64 { return 1 / normalDensity(v) }},
	{"Phi_approx", phiApprox, func(x, v float64) float64 { return v * (1 - v) * (3*0.07056*x*x + 1.5976) }},
	{"erf", math.Erf, func(x, v float64) float64 { return 2 / math.Sqrt(math.Pi) * math.Exp(-x*x) }},
	{"erfc", math.Erfc, func(x, v float64) float64 { return -2 / math.Sqrt(math.Pi) * math.Exp(-x*x) }},
	{"sin", math.Sin, func(x, v float64) float64 { return math.Cos(x) }},
	{"cos", math.Cos, func(x, v float64) float64 { return -math.Sin(x) }},
	{"tan", math.Tan, func(x, v float64) float64 { return 1 + v*v }},
	{"asin", math.Asin, func(x, v float64) float64 { return 1 / math.Sqrt(1-x*x) }},
	{"acos", math.Acos, func(x, v float64) float64 { return -1 / math.Sqrt(1-x*x) }},
	{"atan", math.Atan, func(x, v float64) float64 { return 1 / (1 + x*x) }},
	{"sinh", math.Sinh, func(x, v float64) float64 { return math.Cosh(x) }},
	{"cosh", math.Cosh, func(x, v float64) float64 { return math.Sinh(x) }},
	{"tanh", math.Tanh, func(x, v float64) float64 { c := math.Cosh(x); return 1 / (c * c) }},
	{"asinh", math.Asinh, func(x, v float64) float64 { return 1 / math.Sqrt(x*x+1) }},
	{"acosh", math.Acosh, func(x, v float64) float64 { return 1 / math.Sqrt(x*x-1) }},
	{"atanh", math.Atanh, func(x, v float64) float64 { return 1 / (1 - x*x) }},
	{"abs", math.Abs, func(x, v float64) float64 { return sign(x) }},
	{"lgamma", lgamma, func(x, v float64) float64 { return digamma(x) }},
	{"tgamma", math.Gamma, func(x, v float64) float64 { return v * digamma(x) }},
	{"digamma", digamma, func(x, v float64) float64 { return trigamma(x) }},
	{"trigamma", trigamma, func(x, v float64) float64 { return tetragamma(x) }},
}

// binaries are functions of two numbers with their derivatives.
var binaries = []binaryFunction{
	{"pow", math.Pow, func(x, y, v float64) (float64, float64) {
		dx, dy := 0.0, 0.0
		if y != 0 {
			dx = y * math.Pow(x, y-1)
		}
		if x > 0 {
			dy = v * math.Log(x)
		}
		return dx, dy
	}},
	{"fmax", math.Max, func(x, y, v float64) (float64, float64) { return choose(x >= y), choose(x < y) }},
	{"fmin", math.Min, func(x, y, v float64) (float64, float64) { return choose(x <= y), choose(x > y) }},
	{"fdim", math.Dim, func(x, y, v float64) (float64, float64) { return choose(x > y), -choose(x > y) }},
	{"fmod", math.Mod, func(x, y, v float64) (float64, float64) { return 1, -math.Trunc(x / y) }},
	{"hypot", math.Hypot, func(x, y, v float64) (float64, float64) { return x / v, y / v }},
	{"atan2", math.Atan2, func(x, y, v float64) (float64, float64) { r := x*x + y*y; return y / r, -x / r }},
	{"log_sum_exp", logSumExp, func(x, y, v float64) (float64, float64) { return math.Exp(x - v), math.Exp(y - v) }},
	{"log_diff_exp", logDiffExp, func(x, y, v float64) (float64, float64) { return math.Exp(x - v), -math.Exp(y - v) }},
	{"lbeta", logBeta,
		func(x, y, v float64) (float64, float64) {
			s := digamma(x + y)
			return digamma(x) - s, digamma(y) - s
		}},
	{"lchoose", logChoose, func(x, y, v float64) (float64, float64) {
		return digamma(x+1) - digamma(x-y+1), digamma(x-y+1) - digamma(y+1)
	}},
	{"multiply_log", xlogy, func(x, y, v float64) (float64, float64) { return math.Log(y), x / y }},
	{"log_falling_factorial", func(x, n float64) float64 { return logRising(x-n+1, n) },
		func(x, n, v float64) (float64, float64) {
			return digamma(x+1) - digamma(x-n+1), digamma(x - n + 1)
		}},
	{"log_rising_factorial", logRising,
		func(x, n, v float64) (float64, float64) { return digamma(x+n) - digamma(x), digamma(x + n) }},
}

// unaryOps and binaryOps find the operations by their names, the old ones included.
var unaryOps, binaryOps = opNames()

func opNames() (map[string]opcode, map[string]opcode) {
	u, b := map[string]opcode{"exp": opExp, "log": opLog, "square": opSquare}, map[string]opcode{}
	for k, f := range allUnaries() {
		u[f.Name] = opcode{engine.Apply1, uint16(k)}
	}
	for k, f := range allBinaries() {
		b[f.Name] = opcode{engine.Apply2, uint16(k)}
	}
	u["fabs"] = u["abs"]
	b["lmultiply"], b["binomial_coefficient_log"] = b["multiply_log"], b["lchoose"]
	b["log_inverse_logit_diff"] = b["log_inv_logit_diff"]
	return u, b
}

func choose(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

func normalDensity(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }

// normalQuantile is not a number outside of 0 to 1.
func normalQuantile(p float64) float64 {
	if !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	return mathext.NormalQuantile(p)
}

func phiApprox(x float64) float64 { return density.Expit(0.07056*x*x*x + 1.5976*x) }

func lgamma(x float64) float64 { v, _ := math.Lgamma(x); return v }

// digamma reflects for x <= 0. At whole numbers there it is not a number.
func digamma(x float64) float64 {
	if x <= 0 {
		if x == math.Floor(x) {
			return math.NaN()
		}
		return density.Digamma(1-x) - math.Pi/math.Tan(math.Pi*x)
	}
	return density.Digamma(x)
}

// trigamma is the sum of 1/(x+k)², and reflects for x <= 0.
func trigamma(x float64) float64 {
	switch {
	case x > 0:
		return mathext.Zeta(2, x)
	case x == math.Floor(x):
		return math.Inf(1)
	}
	s := math.Pi / math.Sin(math.Pi*x)
	return s*s - mathext.Zeta(2, 1-x)
}

// tetragamma is the derivative of trigamma, reflected that of π²/sin²(πx) - ψ1(1-x).
func tetragamma(x float64) float64 {
	switch {
	case x > 0:
		return -2 * mathext.Zeta(3, x)
	case x == math.Floor(x) || math.IsNaN(x):
		return math.NaN()
	}
	sin, cos := math.Sincos(math.Pi * x)
	return -2*math.Pow(math.Pi/sin, 3)*cos - 2*mathext.Zeta(3, 1-x)
}

func logSumExp(x, y float64) float64 {
	m := math.Max(x, y)
	if math.IsInf(m, 0) {
		return m
	}
	return m + math.Log1p(math.Exp(math.Min(x, y)-m))
}

func logDiffExp(x, y float64) float64 {
	if !(x >= y) {
		return math.NaN()
	}
	return x + density.Log1mExp(y-x)
}

func logChoose(n, k float64) float64 {
	if k == 0 || k == n {
		return 0
	}
	if 0 < k && k < n {
		return density.LogChoose(n, k)
	}
	return lgamma(n+1) - lgamma(k+1) - lgamma(n-k+1)
}

func logBeta(x, y float64) float64 {
	if x > 0 && y > 0 {
		return density.LogBeta(x, y)
	}
	return lgamma(x) + lgamma(y) - lgamma(x+y)
}

func logRising(x, n float64) float64 {
	if x > 0 && n > 0 {
		return density.LogRising(x, n)
	}
	return lgamma(x+n) - lgamma(x)
}

func xlogy(x, y float64) float64 {
	if x == 0 {
		return 0
	}
	return x * math.Log(y)
}
