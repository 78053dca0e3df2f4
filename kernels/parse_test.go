package kernels

import (
	"reflect"
	"strings"
	"testing"
)

func TestParseRadial(t *testing.T) {
	for text, want := range map[string]Radial{
		"se": SE{}, "matern32": Matern{1.5}, "matern52": Matern{2.5}, "matern:nu=2": Matern{2},
		"matern:nu=3.5": Matern{3.5}, "rq:alpha=1.5": RQ{1.5}, "rq:alpha=0.1": RQ{0.1},
		"mixture:widths=1/4,weights=0.5/0.5":       Mixture{[]float64{0.5, 0.5}, []float64{1, 4}},
		"mixture:widths=0.1/2e+06,weights=0.3/0.7": Mixture{[]float64{0.3, 0.7}, []float64{0.1, 2e6}},
	} {
		got, err := ParseRadial(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("ParseRadial(%q) = %#v, %v, want %#v", text, got, err, want)
			continue
		}
		if got.String() != text {
			t.Errorf("%q prints as %q", text, got)
		}
	}
	for text, want := range map[string]Radial{
		"matern:nu=1.5": Matern{1.5}, "rq:alpha=15e-1": RQ{1.5},
		"mixture:weights=1,widths=2": Mixture{[]float64{1}, []float64{2}},
	} {
		if got, err := ParseRadial(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("ParseRadial(%q) = %#v, %v, want %#v", text, got, err, want)
		}
	}
}

// What a user sees, to the letter.
func TestParseErrors(t *testing.T) {
	all := "want " + forms(func(f family) string { return f.example })
	for text, want := range map[string]string{
		"":    `kernel is "", ` + all,
		"rbf": `kernel is "rbf", ` + all,
		"SE":  `kernel is "SE", ` + all,
		"laplacian": `kernel is "laplacian", want a smoother one such as matern32: this one, the ` +
			`Matern kernel of nu = 1/2, has no gradient at a pseudo-input`,
		"matern12": `kernel is "matern12", want a smoother one such as matern32: this one, the ` +
			`Matern kernel of nu = 1/2, has no gradient at a pseudo-input`,
		"se:theta=1":   `parameter of kernel "se:theta=1" is "theta", want none`,
		"se:":          `parameter of kernel "se:" is "", want none`,
		"rq":           `kernel "rq" has no alpha, want it as in rq:alpha=1.5`,
		"rq:":          `parameter of kernel "rq:" is "", want alpha`,
		"rq:alpha":     `alpha of kernel "rq:alpha" is "", want numbers as in rq:alpha=1.5`,
		"rq:alpha=two": `alpha of kernel "rq:alpha=two" is "two", want numbers as in rq:alpha=1.5`,
		"rq:alpha=1/2": `alpha of kernel "rq:alpha=1/2" is "1/2", want one number`,
		"rq:alpha=-1":  `alpha of rq is -1, want a number from 0.001 to 1000 (in "rq:alpha=-1")`,
		"matern:nu=1.7": `nu of Matern is 1.7, want an integer or half of one, at most 100 ` +
			`(in "matern:nu=1.7")`,
		"matern:nu=1": `nu of Matern is 1, want more than 1: a rougher kernel has no finite gradient ` +
			`at a pseudo-input (in "matern:nu=1")`,
		"rq:alpha=1,alpha=2": `kernel "rq:alpha=1,alpha=2" has alpha twice, want it once`,
		"mixture:widths=1/4": `kernel "mixture:widths=1/4" has no weights, want it as in ` +
			`mixture:widths=1/4,weights=0.5/0.5`,
		"mixture:widths=1/4,weights=1": `mixture has 1 weights and 2 widths, want as many of each, ` +
			`at least 1 (in "mixture:widths=1/4,weights=1")`,
		"mixture:widths=1/4,weights=0.5/0.6": `weights of mixture sum to 1.1, want 1 ` +
			`(in "mixture:widths=1/4,weights=0.5/0.6")`,
		"mixture:widths=1//4,weights=1/0/0": `widths of kernel "mixture:widths=1//4,weights=1/0/0" is ` +
			`"1//4", want numbers as in mixture:widths=1/4,weights=0.5/0.5`,
	} {
		if _, err := ParseRadial(text); err == nil || err.Error() != "kernels: "+want {
			t.Errorf("ParseRadial(%q):\n%v, want\nkernels: %s", text, err, want)
		}
	}
}

func TestRadialForms(t *testing.T) {
	const first = "se (squared exponential), matern32, matern52, "
	if got := RadialForms(); !strings.HasPrefix(got, first) ||
		!strings.HasSuffix(got, " or mixture:widths=1/4,weights=0.5/0.5") {
		t.Error(got)
	}
}

func TestParseRadials(t *testing.T) {
	got, err := ParseRadials("se,rq:alpha=1.5,mixture:widths=1/4,weights=0.5/0.5,matern52")
	want := []Radial{SE{}, RQ{1.5}, Mixture{[]float64{0.5, 0.5}, []float64{1, 4}}, Matern{2.5}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%#v, %v", got, err)
	}
	if got, err := ParseRadials("matern32"); err != nil || len(got) != 1 {
		t.Errorf("%v, %v", got, err)
	}
	for list, want := range map[string]string{
		"": `kernel is "", want se`, "se,": `kernel is "", want se`, "se,,se": `kernel is "", want se`,
		"se,sse":         `kernel is "sse", want se`,
		"se,alpha=2":     `kernel is "se,alpha=2", want se`,
		"rq:alpha=1,b=2": `parameter of kernel "rq:alpha=1,b=2" is "b", want alpha`,
		"alpha=2,se":     `kernel is "alpha=2", want se`,
	} {
		_, err := ParseRadials(list)
		checkError(t, err, want)
	}
}

func TestParseNu(t *testing.T) {
	for _, nu := range []Nu{Unit, Lebesgue, Gaussian} {
		if got, err := ParseNu(nu.String()); got != nu || err != nil {
			t.Errorf("%v: %v, %v", nu, got, err)
		}
	}
	_, err := ParseNu("flat")
	checkError(t, err, `nu is "flat", want unit, lebesgue or gaussian`)
	if s := Nu(7).String(); s != "Nu(7)" {
		t.Error(s)
	}
}
