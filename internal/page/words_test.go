package page

import "testing"

func TestKeep(t *testing.T) {
	for text, want := range map[string]string{
		"they differ, p = 0.001: more": `they differ, <span class="keep">p = 0.001</span>: more`,
		"n = 400 (p = 0.25).": `<span class="keep">n = 400</span> ` +
			`(<span class="keep">p = 0.25</span>).`,
		"t = −1.5, theta = 2, a < b": `<span class="keep">t = −1.5</span>, theta = 2, a &lt; b`,
		"nothing":                    "nothing",
	} {
		if got := string(keep(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestYield(t *testing.T) {
	for text, want := range map[string]string{
		"theta and <b>":             "theta and &lt;b&gt;",
		"given these pseudo-inputs": "given these pseudo-inputs",
		"concentration_of_ozone":    "concentratio<wbr>n_of_<wbr>ozone",
		"абвгдежзийклмнопрст":       "абвгдежзийкл<wbr>мнопрст",
	} {
		if got := string(yield(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
