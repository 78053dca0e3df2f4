"""Reference values for package priors, in high-precision decimal arithmetic.

Standard library only. Run it in this directory: python3 reference.py (some minutes).

densities.json   log densities (50 digits) and their derivatives by central differences
quantiles.json   quantiles, by bisection of distribution functions summed as series
transforms.json  values of the transforms from their definitions; log |det J| from a Jacobian by
                 central differences; the gradient of c.v(x) + log |det J(x)| by differences again

Inputs are doubles and are taken exactly; outputs are rounded to 25 digits.
"""
import json
from decimal import Decimal as D, getcontext, MAX_EMAX, MIN_EMIN
from fractions import Fraction
from math import comb

ctx = getcontext()
ctx.Emax, ctx.Emin = MAX_EMAX, MIN_EMIN
ctx.prec = 100

# ---------------------------------------------------------------- special functions


def arctan_inverse(n):
    total, term, k = D(0), D(1) / n, 0
    while abs(term) > D(10) ** (-ctx.prec - 5):
        total += term / (2 * k + 1) * (-1) ** k
        term /= n * n
        k += 1
    return total


PI = 4 * (4 * arctan_inverse(5) - arctan_inverse(239))


def bernoulli(n):
    b = [Fraction(0)] * (n + 1)
    b[0] = Fraction(1)
    for m in range(1, n + 1):
        b[m] = -sum(comb(m + 1, k) * b[k] for k in range(m)) / (m + 1)
    return b


BERNOULLI = bernoulli(80)


def lgamma(a):
    """Stirling's series after shifting the argument beyond 100."""
    shift = D(1)
    while a < 100:
        shift *= a
        a += 1
    s = (a - D("0.5")) * a.ln() - a + (2 * PI).ln() / 2
    for k in range(2, 81, 2):
        b = BERNOULLI[k]
        s += D(b.numerator) / D(b.denominator) / (k * (k - 1) * a ** (k - 1))
    return s - shift.ln()


def lbeta(a, b):
    return lgamma(a) + lgamma(b) - lgamma(a + b)


def lower_gamma(a, x):
    """P(a, x), by its power series."""
    if x == 0:
        return D(0)
    term = total = D(1)
    n = 0
    while term > total * D(10) ** -60:
        n += 1
        term *= x / (a + n)
        total += term
    return total * (a * x.ln() - x - lgamma(a + 1)).exp()


def beta_inc(a, b, x):
    """I_x(a, b), by its power series on the side where it converges fast."""
    if x <= 0:
        return D(0)
    if x > D("0.6"):
        return 1 - beta_inc(b, a, 1 - x)
    term = total = D(1)
    n = 0
    while term > total * D(10) ** -60:
        term *= (a + b + n) / (a + 1 + n) * x
        total += term
        n += 1
    return total * (a * x.ln() + b * (1 - x).ln() - a.ln() - lbeta(a, b)).exp()


# ---------------------------------------------------------------- densities

def gamma(x, a, b):
    return a * b.ln() - lgamma(a) + (a - 1) * x.ln() - b * x


def inv_gamma(x, a, b):
    return a * b.ln() - lgamma(a) - (a + 1) * x.ln() - b / x


def exponential(x, b):
    return b.ln() - b * x


def normal(x, m, s):
    return -(x - m) ** 2 / (2 * s * s) - s.ln() - (2 * PI).ln() / 2


def half_normal(x, s):
    return normal(x, D(0), s) + D(2).ln()


def lognormal(x, m, s):
    return normal(x.ln(), m, s) - x.ln()


def student_t(x, v, m, s):
    return (lgamma((v + 1) / 2) - lgamma(v / 2) - (v * PI).ln() / 2 - s.ln()
            - (v + 1) / 2 * (1 + ((x - m) / s) ** 2 / v).ln())


def half_cauchy(x, s):
    return (2 / (PI * s * (1 + (x / s) ** 2))).ln()


def beta(x, a, b):
    return (a - 1) * x.ln() + (b - 1) * (1 - x).ln() - lbeta(a, b)


def uniform(x, lo, hi):
    return -(hi - lo).ln()


POSITIVE = [5e-324, 1e-310, 1e-300, 1e-20, 1e-3, 0.1, 0.7, 1.0, 1.3, 2.5, 10.0, 123.25,
            1e5, 1e20, 1e300]
REAL = sorted([-x for x in POSITIVE] + POSITIVE + [0.0])
UNIT = [5e-324, 1e-300, 1e-20, 1e-6, 0.01, 0.25, 0.5, 0.8, 0.99, 1 - 1e-6, 1 - 2.0**-53]

DENSITIES = [
    (gamma, [(1, 1), (2, 3), (0.5, 2), (0.01, 0.1), (30, 4), (1500, 7)], POSITIVE),
    (inv_gamma, [(1, 1), (2, 3), (0.5, 2), (0.01, 0.1), (30, 4)], POSITIVE),
    (exponential, [(1,), (0.2,), (1e6,)], POSITIVE),
    (normal, [(0, 1), (-3.5, 0.25), (1e6, 1e-3), (0, 1e100)], REAL),
    (half_normal, [(1,), (2.5,), (1e-4,)], POSITIVE),
    (lognormal, [(0, 1), (2, 0.5), (-300, 10)], POSITIVE),
    (student_t, [(1, 0, 1), (3, 1, 2.5), (0.1, 0, 1), (39.5, 0, 1), (40.5, -1, 3), (1e8, 0, 1)],
     REAL),
    (half_cauchy, [(1,), (5,), (1e-8,)], POSITIVE),
    (beta, [(1, 1), (5, 5), (0.5, 0.5), (2, 1), (1, 3), (0.01, 20), (800, 300)], UNIT),
    (uniform, [(0, 1), (-3, 2.5)], [0.25, 0.5, 0.75]),
]


def out(x):
    return f"{x:.24e}"


def densities():
    rows = []
    for f, params, xs in DENSITIES:
        for p in params:
            dp = [D(float(v)) for v in p]
            for x in xs:
                # A step far below the distance to the nearest singular point, 0 or 1.
                d = D(x)
                if f is normal or f is student_t:
                    scale = max(dp[-1], abs(d - dp[-2]))
                else:
                    scale = min(d, 1 - d) if f is beta else d
                h = scale * D(10) ** -20
                ctx.prec = 700
                slope = (f(d + h, *dp) - f(d - h, *dp)) / (2 * h) if f is not uniform else D(0)
                ctx.prec = 100
                rows.append({"prior": f.__name__, "params": [float(v) for v in p], "x": repr(x),
                             "logp": out(f(d, *dp)), "dlogp": out(slope)})
    return rows


# ---------------------------------------------------------------- quantiles

def solve(cdf, p, lo, hi):
    """The x in (lo, hi) with cdf(x) = p, by bisection, on the log scale if lo > 0."""
    logs = lo > 0
    if logs:
        lo, hi = lo.ln(), hi.ln()
    for _ in range(115):
        mid = (lo + hi) / 2
        if cdf(mid.exp() if logs else mid) < p:
            lo = mid
        else:
            hi = mid
    return ((lo + hi) / 2).exp() if logs else (lo + hi) / 2


TINY = D(10) ** -700


def gamma_q(p, a, b):
    return solve(lambda x: lower_gamma(a, x), p, TINY, 40 * a + 800) / b


def inv_gamma_q(p, a, b):
    return b / gamma_q(1 - p, a, D(1))


def beta_q(p, a, b):
    if beta_inc(a, b, D("0.5")) < p:
        return 1 - solve(lambda x: beta_inc(b, a, x), 1 - p, TINY, D("0.6"))
    return solve(lambda x: beta_inc(a, b, x), p, TINY, D("0.6"))


def half_normal_q(p, s):
    return s * (2 * solve(lambda x: lower_gamma(D("0.5"), x), p, TINY, D(800))).sqrt()


def normal_q(p, m, s):
    z = half_normal_q(abs(2 * p - 1), s) if p != D("0.5") else D(0)
    return m + (z if p > D("0.5") else -z)


def lognormal_q(p, m, s):
    return normal_q(p, m, s).exp()


def student_t_q(p, v, m, s):
    if p == D("0.5"):
        return m
    w = beta_q(abs(2 * p - 1), D("0.5"), v / 2)
    z = s * (v * w / (1 - w)).sqrt()
    return m + (z if p > D("0.5") else -z)


def half_cauchy_q(p, s):
    return student_t_q((1 + p) / 2, D(1), D(0), s)


def exponential_q(p, b):
    return -(1 - p).ln() / b


def uniform_q(p, lo, hi):
    return lo + p * (hi - lo)


LOW = [1e-300, 1e-12, 1e-4]
MIDDLE = [0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99]
HIGH = [1 - 1e-4, 1 - 1e-12]
QUANTILES = [
    (gamma_q, [(1, 1), (2, 3), (0.5, 2), (0.1, 1), (0.01, 1), (30, 4)]),
    (inv_gamma_q, [(1, 1), (2, 3), (0.5, 2), (30, 4)]),
    (exponential_q, [(0.2,)]),
    (normal_q, [(0, 1), (-3.5, 0.25)]),
    (half_normal_q, [(2.5,)]),
    (lognormal_q, [(2, 0.5)]),
    (student_t_q, [(1, 0, 1), (3, 1, 2.5), (0.5, 0, 1), (2, 0, 1), (50, -1, 3)]),
    (half_cauchy_q, [(5,)]),
    (beta_q, [(1, 1), (5, 5), (0.5, 0.5), (2, 1), (0.05, 20), (20, 0.05), (80, 300)]),
    (uniform_q, [(-3, 2.5)]),
]


def quantiles():
    ctx.prec = 60
    rows = []
    for f, params in QUANTILES:
        for p in params:
            # Series at 60 digits lose the tail beyond: no 1e-300 for the differences 1-p.
            for q in LOW + MIDDLE + HIGH:
                if q == 1e-300 and f not in (gamma_q, beta_q, exponential_q, half_normal_q):
                    continue
                ctx.prec = 330 if f is exponential_q else 60
                x = f(D(q), *[D(float(v)) for v in p])
                if x and abs(x) < D(10) ** -300:
                    continue
                rows.append({"prior": f.__name__[:-2], "params": [float(v) for v in p],
                             "p": repr(q), "x": out(x)})
    ctx.prec = 100
    return rows


# ---------------------------------------------------------------- transforms

def interval(x, lo, hi):
    return [D(lo) + (D(hi) - D(lo)) / (1 + (-u).exp()) for u in x]


def lower(x, lo):
    return [D(lo) + u.exp() for u in x]


def upper(x, hi):
    return [D(hi) - u.exp() for u in x]


def ordered(x):
    v = [x[0]]
    for u in x[1:]:
        v.append(v[-1] + u.exp())
    return v


def simplex(x):
    v, left = [], D(1)
    for k, u in enumerate(x, 1):
        z = 1 / (1 + (-(u - D(len(x) + 1 - k).ln())).exp())
        v.append(left * z)
        left -= v[-1]
    return v + [left]


def determinant(a):
    """|det a| by elimination with pivoting."""
    a, n, det = [row[:] for row in a], len(a), D(1)
    for i in range(n):
        k = max(range(i, n), key=lambda r: abs(a[r][i]))
        a[i], a[k] = a[k], a[i]
        det *= a[i][i]
        for r in range(i + 1, n):
            m = a[r][i] / a[i][i]
            for c in range(i, n):
                a[r][c] -= m * a[i][c]
    return abs(det)


def shifted(x, i, h):
    return [u + h if j == i else u for j, u in enumerate(x)]


def log_jacobian(f, x, h=D(10) ** -40):
    n = len(x)
    cols = []
    for i in range(n):
        up, down = f(shifted(x, i, h)), f(shifted(x, i, -h))
        cols.append([(up[j] - down[j]) / (2 * h) for j in range(n)])
    return determinant(cols).ln()


def transforms():
    single = [-700.0, -30.0, -3.5, -0.5, 0.0, 0.25, 4.0, 30.0, 36.0, 700.0]
    triples = [[0.0, 0.0, 0.0], [0.5, -1.25, 2.0], [-30.0, 30.0, 3.0], [30.0, -29.0, -30.0],
               [-3.0, -12.5, -30.0], [700.0, 700.0, 700.0], [-700.0, -700.0, -700.0],
               [700.0, -700.0, 1.0], [-700.0, 5.0, 699.5]]
    weights = [0.75, -1.5, 2.25, 0.375]
    cases = [("interval", interval, a, [u]) for a in [(0, 1), (-3, 5), (1e6, 1e6 + 1)]
             for u in single]
    cases += [("lower", lower, a, [u]) for a in [(0,), (-2.5,)] for u in single]
    cases += [("upper", upper, (3,), [u]) for u in single]
    cases += [("ordered", ordered, (), x) for x in triples]
    cases += [("simplex", simplex, (), x) for x in triples]
    rows, h = [], D(10) ** -15
    for name, f, args, x in cases:
        # Enough digits for the smallest piece of a stick, exp(-3*700), beside 1.
        ctx.prec = 250 if max(map(abs, x)) <= 36 else 500 if len(x) == 1 else 1100
        x = [D(u) for u in x]

        def values(y):
            return f(y, *args)

        def total(y):
            return sum(D(w) * v for w, v in zip(weights, values(y))) + log_jacobian(values, y)

        grad = [(total(shifted(x, i, h)) - total(shifted(x, i, -h))) / (2 * h)
                for i in range(len(x))]
        rows.append({"transform": name, "args": [float(a) for a in args],
                     "x": [float(u) for u in x],
                     "v": [out(v) for v in values(x)], "logJ": out(log_jacobian(values, x)),
                     "weights": weights[:len(values(x))], "grad": [out(g) for g in grad]})
    return rows


if __name__ == "__main__":
    for name, rows in [("densities", densities()), ("quantiles", quantiles()),
                       ("transforms", transforms())]:
        with open(name + ".json", "w") as file:
            file.write("[\n" + ",\n".join(json.dumps(r) for r in rows) + "\n]\n")
