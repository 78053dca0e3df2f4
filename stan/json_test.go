package stan

import (
	"math"
	"strings"
	"testing"
)

// Numbers that JSON has no way to write may stand as CmdStan's files have them, and text is left as it is.
func TestBareNumbers(t *testing.T) {
	d, err := ParseData([]byte(`{"y": [NaN, -Infinity, Inf, 1, "NaN"], "Inf, \"NaN": "I, NaN", "N": 2}`))
	if err != nil {
		t.Fatal(err)
	}
	p, err := Parse(`data { int N; vector[5] y; } generated quantities { vector[5] z = y; }`)
	if err != nil {
		t.Fatal(err)
	}
	m, err := p.Bind(d, Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Generate(nil, 1)
	want := []float64{math.NaN(), math.Inf(-1), math.Inf(1), 1, math.NaN()}
	for i, v := range want {
		if err != nil || got[i] != v && !(got[i] != got[i] && v != v) {
			t.Fatalf("%v, want %v: %v", got, want, err)
		}
	}
	if d[`Inf, "NaN`] != "I, NaN" {
		t.Errorf("text was changed: %v", d)
	}
}

// What is wrong with data is said with its place.
func TestWrongJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"N": 3,}`:                            "line 1, character 9: found '}'",
		"{\"y\": [NaN,\n  Inf, Inf, 3}":        "line 2, character 14: found '}'",
		`{"N": 3} x`:                           "line 1, character 10: found 'x'",
		`[1, 2]`:                               "want one such as",
		``:                                     "ends before",
		`{"y": [1, 2`:                          "ends before",
		`{"N": 3, "y": [1, "N"], "\u004e": 4}`: `line 1, character 25: "\u004e" comes a second time`,
		"{\"N\": NaN,\n \"y\": {\"N\": 1}, \"N\": 1}": `line 2, character 17: "N" comes a second time`,
		`{"N": nil}`: "line 1, character 8: found 'i'",
	} {
		if _, err := ParseData([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	p, err := Parse("data { int N; array[2] int k; } generated quantities { int m = N; }")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`{"N": 99999999999, "k": [1, 2]}`: "N is 99999999999, want a whole number of at most 2147483647 in size",
		`{"N": 1, "k": [1, null]}`:        "k[2] is null, want a number",
		`{"N": 1, "k": [1, 2.5]}`:         "k[2] is 2.5, want a whole number",
	} {
		d, err := ParseData([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Bind(d, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// A byte-order mark, as some editors write, is no part of the data.
func TestMarkedJSON(t *testing.T) {
	d, err := ParseData([]byte("\ufeff{\"N\": 3}"))
	if err != nil || len(d) != 1 {
		t.Errorf("%v, %v", d, err)
	}
}
