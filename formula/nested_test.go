package formula

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bayeskernel/frame"
	"bayeskernel/nuts"
)

// grouped is a synthetic table of groups a within which are those of b, crossed with those of c.
func grouped(t *testing.T, noise, within float64) *frame.Frame {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	var text strings.Builder
	text.WriteString("y,count,bin,kind,x,z,a,b,c\n")
	for a := range 5 {
		u := 3 * r.NormFloat64()
		for b := range 4 {
			v := u + within*r.NormFloat64()
			for c := range 3 {
				x, w := r.NormFloat64(), noise*r.NormFloat64()
				fmt.Fprintf(&text, "%.5f,%d,%d,%s,%.5f,%d,a%d,b%d,c%d\n", 40+v+x+w, int(math.Exp(1+.2*v+.1*w)), r.IntN(2), []string{"p", "q", "r"}[r.IntN(3)],
					x, b%2, a, b, c)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	data, err := frame.Read(context.Background(), path, frame.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// In coordinates u the density is that of effects as they are, or standardised, times the Jacobian, which is computed here from the
// precisions: sd/sqrt(1 + sd² I) for each level, of what the parameters of one program are in the other.
func TestCoordinates(t *testing.T) {
	data := grouped(t, .3, 2)
	for _, c := range []struct{ formula, family string }{
		{"y ~ x + (1 | a)", "gaussian"},
		{"y ~ 0 + x + (1 | a)", "student"},
		{"y ~ 1 + (1 | a) + (1 | a:b)", "gaussian"},
		{"I(1e6 * y) ~ x + z + (1 | a:b) + (1 | a)", "gaussian"}, // z is constant within a:b; other units
		{"y ~ x + z + (1 | a) + (1 | b) + (1 | a:b)", "gaussian"},
		{"y ~ x * z + (1 | c) + (1 | a/b)", "gaussian"},
		{"y ~ x + (1 | a) + (1 | a:b) + (1 | a:b:c)", "gaussian"}, // as many levels as rows: moments say nothing
		{"count ~ x + z + (1 | a) + (1 | a:b) + (1 | a:b:c)", "poisson"},
		{"count ~ x + (1 + x | a) + (1 | a:b)", "negbinomial"},
		{"y ~ x + (1 + x + z || a)", "gaussian"},
		{"y ~ x + (1 + x + z | a)", "gaussian"},
		{"bin ~ z + offset(x) + (1 | a/b)", "bernoulli"},
		{"kind ~ x + z + (1 | a/b)", "categorical"},
		{"I(1 + bin) ~ x + z + (1 | a/b)", "cumulative"},
	} {
		f, err := Parse(c.formula)
		if err != nil {
			t.Fatal(err)
		}
		reg, err := f.Model(data, Options{Family: c.family})
		if err != nil {
			t.Fatal(err)
		}
		other := *reg
		other.apart, other.Groups = true, slices.Clone(reg.Groups)
		declared, err := other.compile(nil)
		if err != nil {
			t.Fatal(err)
		}
		target, err := reg.Program.Target()
		if err != nil {
			t.Fatal(err)
		}
		apart, err := declared.Target()
		if err != nil {
			t.Fatal(err)
		}
		names := reg.Program.Names()
		base := math.NaN()
		for point := range 5 {
			r := rand.New(rand.NewPCG(7, uint64(point)))
			u, grad := make([]float64, target.Dim()), make([]float64, target.Dim())
			for i := range u {
				u[i] = .5 * r.NormFloat64()
			}
			row := make([]float64, len(names))
			target.(interface{ Constrain(dst, x []float64) }).Constrain(row, u)
			value := func(name string) float64 { return row[slices.Index(names, name)] }
			var plain []float64
			for _, name := range declared.Names() {
				if !slices.Contains(names, name) {
					t.Fatalf("%s: there is no %s", c.formula, name)
				}
				plain = append(plain, value(name))
			}
			x, err := declared.Unconstrain(plain)
			if err != nil {
				t.Fatal(err)
			}
			diff := target.LogDensity(u, grad) - apart.LogDensity(x, grad)
			if n := reg.nesting(); n != nil {
				for _, of := range reg.predictors {
					for k, g := range reg.Groups {
						for j, a := range g.Design.Names {
							name, scale := "sd_"+g.Name+"__"+of+short(a), 1.0
							if g.together() && !slices.Contains(names, name) {
								name = element("sd_"+g.Name+under(of), j)
							}
							sd := value(name)
							if g.together() {
								sd *= value(fmt.Sprintf("L_%s[%d,%d]", g.Name+under(of), j+1, j+1))
								scale = sd
							}
							for _, known := range n.known[k][j] {
								diff -= math.Log(sd / math.Sqrt(1+sd*sd*known) / scale)
							}
						}
					}
				}
			}
			if point == 0 {
				base = diff
			} else if !(math.Abs(diff-base) < 1e-8*math.Max(1, math.Abs(target.LogDensity(u, grad)))) {
				t.Errorf("%s: the densities differ by %v, at the first point by %v", c.formula, diff, base)
				break
			}
		}
	}
}

// Chains mix and nothing diverges where the effects within groups are large beside the noise, and where they are small.
func TestNested(t *testing.T) {
	for _, within := range []float64{3, .05} {
		f, err := Parse("y ~ x + (1 | a) + (1 | a:b)")
		if err != nil {
			t.Fatal(err)
		}
		reg, err := f.Model(grouped(t, .2, within), Options{})
		if err != nil {
			t.Fatal(err)
		}
		cfg := nuts.Config{}
		cfg.Seed, cfg.TargetAccept = 9, .9
		run, err := nuts.Sample(context.Background(), reg.Program.Target, cfg)
		if err != nil {
			t.Fatal(err)
		}
		reported, err := reg.Report(run)
		if err != nil {
			t.Fatal(err)
		}
		if s := reported.Summary(); len(s.Warnings) > 0 {
			t.Errorf("sd %v within groups: %v", within, s.Warnings)
		}
	}
}
