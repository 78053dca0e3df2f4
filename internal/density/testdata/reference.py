# Writes reference.csv: log density and log probabilities below and above of every family, with their
# derivatives, by mpmath with 40 digits. Distribution functions are integrals or sums of the densities
# wherever a closed form is not at hand, and derivatives are differences with 40 digits:
# nothing is taken from the package that is tested.
#
#   python3 reference.py > reference.csv
from mpmath import mp, mpf, log, exp, pi, sqrt, gamma, loggamma, quad, inf, diff, erfc, atan, besseli, cos
from mpmath import gammainc, betainc, binomial, cosh, npdf, log1p, factorial, nstr
mp.dps = 400

def erfcm(x): return erfc(x)
def Q(z): return erfc(z / sqrt(mpf(2))) / 2
def gup(a, x): return gammainc(a, x, inf, regularized=True)
def glo(a, x): return gammainc(a, 0, x, regularized=True)
def ibeta(a, b, x): return betainc(a, b, 0, x, regularized=True)
def expit(x): return 1 / (1 + exp(-x))

def normal(y, m, s): return -log(s) - log(2 * pi) / 2 - ((y - m) / s) ** 2 / 2
def lbeta(a, b): return loggamma(a) + loggamma(b) - loggamma(a + b)
def gammad(y, a, b): return a * log(b) - loggamma(a) + (a - 1) * log(y) - b * y
def invgamma(y, a, b): return a * log(b) - loggamma(a) - (a + 1) * log(y) - b / y
def student(y, n, m, s):
    return loggamma((n + 1) / 2) - loggamma(n / 2) - log(n * pi) / 2 - log(s) - (n + 1) / 2 * log1p(((y - m) / s) ** 2 / n)
def tup(z, n):
    z = mpf(z)
    if z == 0: return mpf(1) / 2
    p = ibeta(n / 2, mpf(1) / 2, n / (n + z * z)) / 2
    return p if z > 0 else 1 - p
def lchoose(n, k): return loggamma(n + 1) - loggamma(k + 1) - loggamma(n - k + 1)

# name: (log density, above or None, parameter sets, values for each set)
F = {}
def fam(name, logp, above, *cases, discrete=False, counts=0): F[name] = (logp, above, cases, discrete, counts)

fam("normal", normal, lambda y, m, s: Q((y - m) / s), ((0.3, 2), (-1, 0.2, 9, -20)), ((-4, 0.01), (-4.005, -3.6, -4.3)), ((0, 1), (-30, 33, 60)))
fam("student_t", student, lambda y, n, m, s: tup((y - m) / s, n), ((3.5, 1, 0.7), (-2, 1.3, 60, 1)), ((30, -2, 3), (-50, -2.1, 20)), ((0.6, 0, 1), (1e-3, 1e6, -5)), ((200, 0, 1), (3, -12)))
fam("cauchy", lambda y, m, s: student(y, mpf(1), m, s), lambda y, m, s: tup((y - m) / s, mpf(1)), ((0.5, 2), (-3, 0.6, 1e5, -1e7)))
fam("logistic", lambda y, m, s: -log(4 * s) - 2 * log(cosh((y - m) / (2 * s))), lambda y, m, s: expit(-(y - m) / s), ((-1, 0.6), (-9, -1.1, 5, 40)))
fam("double_exponential", lambda y, m, s: -log(2 * s) - abs(y - m) / s, lambda y, m, s: exp(-(y - m) / s) / 2 if y > m else 1 - exp((y - m) / s) / 2, ((0.4, 1.5), (-8, 0.3, 0.5, 30)))
fam("gumbel", lambda y, m, s: -log(s) - (y - m) / s - exp(-(y - m) / s), lambda y, m, s: -mp.expm1(-exp(-(y - m) / s)), ((0.5, 2), (-6, 0.4, 9, 60)))
fam("skew_normal", lambda y, m, s, a: log(2) + normal(y, m, s) + log(Q(-a * (y - m) / s)), None, ((0.5, 2, 3), (-2, 0.4, 5)), ((0, 1, -1.5), (-3, 0.5, 12)))
fam("exp_mod_normal", lambda y, m, s, r: log(r) + r * r * s * s / 2 - r * (y - m) + log(Q(r * s - (y - m) / s)),
    lambda y, m, s, r: Q((y - m) / s) + exp(r * r * s * s / 2 - r * (y - m)) * Q(r * s - (y - m) / s), ((0.5, 2, 0.7), (-3, 1, 9, 40)), ((1, 0.5, 4), (0, 1.2, 6)))
fam("skew_double_exponential", lambda y, m, s, t: log(2 * t * (1 - t) / s) - 2 / s * ((1 - t) * (m - y) if y < m else t * (y - m)),
    lambda y, m, s, t: 1 - t * exp(-2 / s * (1 - t) * (m - y)) if y < m else (1 - t) * exp(-2 / s * t * (y - m)), ((0.5, 1.5, 0.3), (-6, 0.4, 0.7, 20)))
fam("von_mises", lambda y, m, k: k * cos(y - m) - log(2 * pi * besseli(0, k)), None, ((0.5, 2), (-2, 0.7, 3)), ((1, 40), (0.8, 1.5)), ((0, 0.01), (2,)), ((0, 25.5), (0.3,)), ((0, 900), (0.05,)))
fam("half_normal", lambda y, s: log(2) + normal(y, 0, s), lambda y, s: 2 * Q(y / s), ((1.7,), (0.01, 2, 40)))
fam("half_cauchy", lambda y, s: log(2) + student(y, mpf(1), 0, s), lambda y, s: 2 * tup(y / s, mpf(1)), ((2.5,), (0.01, 3, 1e6)))
fam("lognormal", lambda y, m, s: normal(log(y), m, s) - log(y), lambda y, m, s: Q((log(y) - m) / s), ((0.2, 0.8), (0.01, 1.3, 200)))
fam("gamma", gammad, lambda y, a, b: gup(a, b * y), ((2.5, 1.4), (0.01, 2, 30)), ((0.4, 3), (0.001, 0.2, 0.6, 8)), ((900, 2), (380, 451, 600)), ((0.02, 1), (1e-6, 0.7)), ((40, 1), (1, 39.5, 120)))
fam("inv_gamma", invgamma, lambda y, a, b: glo(a, b / y), ((3, 2), (0.05, 0.7, 60)), ((0.5, 4), (0.2, 9)))
fam("chi_square", lambda y, n: gammad(y, n / 2, mpf(1) / 2), lambda y, n: gup(n / 2, y / 2), ((3.5,), (0.1, 3, 60)), ((1,), (0.02, 5)))
fam("inv_chi_square", lambda y, n: invgamma(y, n / 2, mpf(1) / 2), lambda y, n: glo(n / 2, 1 / (2 * y)), ((3.5,), (0.02, 0.3, 9)))
fam("scaled_inv_chi_square", lambda y, n, s: invgamma(y, n / 2, n * s * s / 2), lambda y, n, s: glo(n / 2, n * s * s / (2 * y)), ((3.5, 0.8), (0.05, 0.6, 20)))
fam("exponential", lambda y, r: log(r) - r * y, lambda y, r: exp(-r * y), ((0.8,), (0.001, 1, 90)))
fam("weibull", lambda y, k, s: log(k / s) + (k - 1) * log(y / s) - (y / s) ** k, lambda y, k, s: exp(-(y / s) ** k), ((1.6, 2.2), (0.01, 2, 25)), ((0.5, 1), (1e-4, 3)))
fam("frechet", lambda y, k, s: log(k / s) - (k + 1) * log(y / s) - (y / s) ** -k, lambda y, k, s: -mp.expm1(-(y / s) ** -k), ((1.6, 2.2), (0.4, 2, 1e4)))
fam("rayleigh", lambda y, s: log(y) - 2 * log(s) - y * y / (2 * s * s), lambda y, s: exp(-y * y / (2 * s * s)), ((1.7,), (0.01, 2, 40)))
fam("loglogistic", lambda y, s, k: log(k / s) + (k - 1) * log(y / s) - 2 * log1p((y / s) ** k), lambda y, s, k: 1 / (1 + (y / s) ** k), ((1.7, 2.5), (0.01, 2, 1e4)))
fam("pareto", lambda y, m, k: log(k) + k * log(m) - (k + 1) * log(y), lambda y, m, k: (m / y) ** k, ((1.7, 2.5), (1.71, 3, 1e4)))
fam("pareto_type_2", lambda y, m, s, k: log(k / s) - (k + 1) * log1p((y - m) / s), lambda y, m, s, k: (1 + (y - m) / s) ** -k, ((-1, 1.7, 2.5), (-0.99, 3, 1e4)))
fam("beta", lambda y, a, b: (a - 1) * log(y) + (b - 1) * log1p(-y) - lbeta(a, b), lambda y, a, b: ibeta(b, a, 1 - y), ((2, 3.5), (0.001, 0.4, 0.97)), ((0.6, 0.8), (0.01, 0.9)), ((300, 500), (0.3, 0.375, 0.5)), ((0.5, 2000), (1e-6, 0.001, 0.01)), ((40, 6), (0.3, 0.95)))
fam("beta_proportion", lambda y, m, k: (m * k - 1) * log(y) + ((1 - m) * k - 1) * log1p(-y) - lbeta(m * k, (1 - m) * k), lambda y, m, k: ibeta((1 - m) * k, m * k, 1 - y), ((0.3, 7), (0.01, 0.3, 0.9)))
fam("uniform", lambda y, a, b: -log(b - a), lambda y, a, b: (b - y) / (b - a), ((-1, 2.5), (-0.999, 1, 2.4)))
fam("flat", lambda y: mpf(0) * y, None, ((), (2,)))

def bern(y, p): return log(p) if y == 1 else log1p(-p)
fam("bernoulli", bern, None, ((0.3,), (0, 1)), discrete=True)
fam("bernoulli_logit", lambda y, x: bern(y, expit(x)), None, ((-0.8,), (0, 1)), ((40,), (0, 1)), discrete=True)
fam("bernoulli_probit", lambda y, x: log(Q(-x)) if y == 1 else log(Q(x)), None, ((-0.8,), (0, 1)), ((9,), (0, 1)), discrete=True)
def binom(y, n, p): return lchoose(n, y) + y * log(p) + (n - y) * log1p(-p)
fam("binomial", binom, None, ((12, 0.35), (0, 4, 11)), ((300, 0.6), (90, 180, 250)), discrete=True, counts=1)
fam("binomial_logit", lambda y, n, x: binom(y, n, expit(x)), None, ((12, -0.6), (0, 4, 11)), ((90, 3), (60, 86)), discrete=True, counts=1)
fam("beta_binomial", lambda y, n, a, b: lchoose(n, y) + lbeta(y + a, n - y + b) - lbeta(a, b), None, ((12, 2.5, 1.3), (0, 7, 11)), ((60, 0.4, 30), (0, 2, 25)), discrete=True, counts=1)
def pois(y, r): return y * log(r) - r - loggamma(y + 1)
fam("poisson", pois, None, ((3.2,), (0, 3, 20)), ((120,), (60, 121, 200)), discrete=True)
fam("poisson_log", lambda y, l: pois(y, exp(l)), None, ((1.2,), (0, 3, 20)), discrete=True)
def negb(y, a, b): return loggamma(y + a) - loggamma(a) - loggamma(y + 1) + a * log(b / (1 + b)) - y * log1p(b)
fam("neg_binomial", negb, None, ((1.3, 0.4), (0, 4, 60)), ((50, 2), (5, 25, 80)), discrete=True)
fam("neg_binomial_2", lambda y, m, p: negb(y, p, p / m), None, ((4, 1.3), (0, 4, 60)), ((30, 80), (8, 31, 90)), discrete=True)
fam("neg_binomial_2_log", lambda y, l, p: negb(y, p, p / exp(l)), None, ((1.4, 1.3), (0, 4, 60)), discrete=True)

def sums(logp, discrete):
    "Distribution functions of counts: sums from 0."
    return lambda y, *a: sum(exp(logp(mpf(k), *a)) for k in range(int(y) + 1))

def column(f, y, a, discrete, counts, below=None):
    "log f with derivatives in y and the parameters."
    def at(*v): return log(f(*v))
    v = [mpf(y)] + [mpf(x) for x in a]
    out = [at(*v)]
    for k in range(len(v)):
        if k == 0 and discrete or 1 <= k <= counts:
            out.append(mpf(0)); continue
        h = mpf(10) ** -14 * max(abs(v[k]), mpf(1) / 100)
        def g(x): return at(*(v[:k] + [x] + v[k + 1:]))
        out.append((8 * (g(v[k] + h) - g(v[k] - h)) - (g(v[k] + 2 * h) - g(v[k] - 2 * h))) / (12 * h))
    return ";".join(nstr(x, 20) for x in out)

print("family,parameters,y,density,below,above")
for name, (logp, above, cases, discrete, counts) in F.items():
    for a, ys in cases:
        for y in ys:
            row = [name, ";".join(repr(x) for x in a), repr(y)]
            row.append(column(lambda *v: exp(logp(*v)), y, a, discrete, counts))
            if discrete:
                cdf = sums(logp, discrete)
                top = int(y) >= (1 if name.startswith("bern") else a[0] if counts else inf)
                row += ["0" + ";0" * (len(a) + 1) if top else column(cdf, y, a, True, counts),
                        "-inf" if top else column(lambda *v: 1 - cdf(*v), y, a, True, counts)]
            elif above is None:
                row += ["", ""]
            else:
                row += [column(lambda *v: 1 - above(*v), y, a, False, 0), column(above, y, a, False, 0)]
            print(",".join(row))
