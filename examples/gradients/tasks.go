package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"bayeskernel/hmc"
	"bayeskernel/model"
)

// point has the values of the parameters of Stan's program on the unconstrained scale.
var point = struct{ a, b, c, d, p1, p2, p3, u float64 }{0.3, 0.2, -0.1, 0.15, 0.1, 0.25, 0.4, 0.3}

// familyPoint is the point in the order of Stan's program. Weights, cutpoints and factors are 0.1.
func familyPoint() string {
	q := point
	line := fmt.Sprint(q.a, " ", q.b, " ", q.c, " ", q.d, " ", q.p1, " ", q.p2, " ", q.p3, " ", q.u)
	return line + strings.Repeat(" 0.1", 2+3+4+6+45) + "\n"
}

// placeOf finds a family and a variant by the name of its task.
func placeOf(name string) (which, variant int) {
	for k, j := range joint {
		if j.name == name {
			return len(families) + k, 0
		}
	}
	for k, f := range families {
		for v, s := range variantNames {
			if name == f.name+", "+s {
				return k, v
			}
		}
	}
	panic("gradients: unreachable")
}

func familyTasks() []task {
	s := newSample(rows)
	var tasks []task
	for _, f := range families {
		for v := range variants {
			if _, ok := f.arguments(v); !ok {
				continue
			}
			tasks = append(tasks, task{name: f.name + ", " + variantNames[v], rows: rows,
				ours: func() (hmc.Target, []float64, error) { return f.target(s, v) }})
		}
	}
	for _, j := range joint {
		n := rows
		if slices.Contains([]string{"multi_normal", "dirichlet", "multinomial"}, j.name) {
			n = 1000
		}
		if j.name == "lkj_corr_cholesky" {
			n = 1
		}
		tasks = append(tasks, task{name: j.name, rows: n,
			ours: func() (hmc.Target, []float64, error) { return jointTarget(j.name, s) }})
	}
	return tasks
}

// parameters declares those of Stan's program as they are asked for.
type parameters struct {
	m    *model.Model
	have map[string]model.Expr
	at   []float64
}

func newParameters() *parameters { return &parameters{model.New(), map[string]model.Expr{}, nil} }

func (p *parameters) of(name string) model.Expr {
	if e, ok := p.have[name]; ok {
		return e
	}
	v := map[string]float64{"a": point.a, "b": point.b, "c": point.c, "d": point.d, "p1": point.p1,
		"p2": point.p2, "p3": point.p3, "u": point.u}[name]
	var e model.Expr
	switch name[0] {
	case 'p':
		e = p.m.Positive(name, model.Exponential(0.1))
	case 'u':
		e = p.m.Interval(name, 0, 1, model.Beta(1, 1))
	default:
		e = p.m.Real(name, model.Normal(0, 10))
	}
	p.have[name] = e
	p.at = append(p.at, v)
	return e
}

// target is a family with these arguments by rows; see arguments.
func (f family) target(s *sample, variant int) (hmc.Target, []float64, error) {
	p := newParameters()
	x := p.m.Data("x", s.X)
	var args []model.Expr
	for k, kind := range []byte(f.args) {
		varies := variant == 2 || variant == 1 && k == f.predictor
		line := func() model.Expr {
			l := [][2]string{{"a", "b"}, {"c", "d"}, {"d", "c"}}[k]
			return p.of(l[0]).Add(p.of(l[1]).Mul(x))
		}
		var e model.Expr
		switch argument(kind) {
		case real:
			if varies {
				e = line()
			} else {
				e = p.of([]string{"a", "b", "c"}[k])
			}
		case positive:
			if varies {
				e = line().Exp()
			} else {
				e = p.of([]string{"p1", "p2", "p3"}[k])
			}
		case unit:
			if varies {
				e = line().InvLogit()
			} else {
				e = p.of("u")
			}
		case trials:
			e = p.m.Data("trials", s.Trials)
		case lower:
			e = p.m.Const(0.001)
		case degrees:
			e = p.of("p3")
		}
		args = append(args, e)
	}
	y := map[string][]float64{"y": s.Y, "yp": s.Yp, "yu": s.Yu, "yc": s.Yc, "yb": s.Yb, "yn": s.Yn}[f.data]
	p.m.Observe(p.m.Data("y", y), f.dist(args))
	return compiled(p.m, p.at)
}

func flatten(rows [][]float64) []float64 { return slices.Concat(rows...) }

// jointTarget declares a distribution of joint.
func jointTarget(name string, s *sample) (hmc.Target, []float64, error) {
	p := newParameters()
	m := p.m
	y, x := m.Data("y", s.Y), m.Data("x", s.X)
	line := func() model.Expr { return p.of("a").Add(p.of("b").Mul(x)) }
	two := func() model.Expr { return model.Stack(p.of("u"), p.of("u").OneMinus()) }
	more := func(n int) { // unconstrained coordinates
		for range n {
			p.at = append(p.at, 0.1)
		}
	}
	switch name {
	case "ordered_logistic", "ordered_probit":
		eta := line()
		cuts := m.Ordered("cuts", 3, model.Normal(0, 10))
		more(3)
		d := model.OrderedLogistic(eta, cuts)
		if name == "ordered_probit" {
			d = model.OrderedProbit(eta, cuts)
		}
		m.Observe(m.Data("yk", s.Yk), d)
	case "categorical_logit":
		eta := line()
		cuts := m.Ordered("cuts", 3, model.Normal(0, 10))
		more(3)
		four := model.MatOf(1, 4, model.Stack(cuts, m.Values([]float64{0})))
		m.Observe(m.Data("yk", s.Yk), model.CategoricalLogit(model.MatOf(rows, 1, eta).Mul(four)))
	case "mixture of 2 normals":
		m.Observe(y, model.Mix(two(), model.Normal(p.of("a"), p.of("p1")),
			model.Normal(p.of("b"), p.of("p2"))))
	case "mixture of 3 normals":
		a, b, c, p1, p2, p3 := p.of("a"), p.of("b"), p.of("c"), p.of("p1"), p.of("p2"), p.of("p3")
		w := m.Simplex("w", 3, model.Dirichlet(1.0))
		more(2)
		m.Observe(y, model.Mix(w, model.Normal(a, p1), model.Normal(b, p2), model.Normal(c, p3)))
	case "mixture of 2 student_t":
		m.Observe(y, model.Mix(two(), model.StudentT(4, p.of("a"), p.of("p1")),
			model.StudentT(4, p.of("b"), p.of("p2"))))
	case "mixture of regressions":
		m.Observe(y, model.Mix(two(), model.Normal(line(), p.of("p1")),
			model.Normal(p.of("b").Add(p.of("a").Mul(x)), p.of("p2"))))
	case "mixture of 2 poisson":
		m.Observe(m.Data("yc", s.Yc), model.Mix(two(), model.Poisson(p.of("p1")),
			model.Poisson(p.of("p2"))))
	case "truncated normal":
		m.Observe(y, model.Normal(line(), p.of("p1")).Truncate(-20, 20))
	case "truncated gamma":
		m.Observe(m.Data("yp", s.Yp), model.Gamma(p.of("p1"), p.of("p2")).Truncate(0.00001, math.Inf(1)))
	case "truncated poisson":
		y := make([]float64, rows)
		for i, v := range s.Yc {
			y[i] = v + 1
		}
		m.Observe(m.Data("yc", y), model.Poisson(line().Exp()).Truncate(1, math.Inf(1)))
	case "censored normal":
		y := make([]float64, rows)
		for i, v := range s.Y {
			y[i] = min(v, 1)
		}
		m.Observe(m.Data("y censored", y), model.Normal(line(), p.of("p1")).Censor(math.Inf(-1), 1))
	case "multi_normal":
		a := p.of("a")
		l := m.CorrCholesky("L", 4, model.LKJ(1))
		more(6)
		m.Observe(m.Data("ym", flatten(s.Ym)), model.MvNormal(a, l))
	case "dirichlet":
		alpha := m.Positives("p4", 4, model.Exponential(0.1))
		more(4)
		m.Observe(m.Data("ys", flatten(s.Ys)), model.Dirichlet(alpha))
	case "multinomial":
		a := p.of("a")
		cuts := m.Ordered("cuts", 3, model.Normal(0, 10))
		more(3)
		var counts, totals []float64
		for _, row := range s.Yt {
			total := 0.0
			for _, v := range row {
				counts = append(counts, float64(v))
				total += float64(v)
			}
			totals = append(totals, total)
		}
		eta := model.Stack(cuts, m.Values([]float64{0})).Mul(a)
		m.Observe(m.Data("yt", counts), model.Multinomial(m.Data("n", totals), eta.Softmax()))
	case "lkj_corr_cholesky":
		l := m.CorrCholesky("L10", 10, model.LKJ(2))
		more(45)
		m.Quantity("corner", l.El(9, 9))
	default:
		return nil, nil, errors.New("unknown")
	}
	return compiled(m, p.at)
}
