package record

import (
	"strings"
	"testing"

	"bayeskernel/stan/syntax"
	"bayeskernel/stan/types"
)

// sample is a value of a type.
func sample(t string) string {
	if rest, ok := strings.CutPrefix(t, "array["); ok {
		commas, of, _ := strings.Cut(rest, "] ")
		if commas != "" {
			of = "array[" + commas[1:] + "] " + of
		}
		v := sample(of)
		return "{" + v + ", " + v + "}"
	}
	return map[string]string{"int": "1", "real": "0.5", "vector": "[0.4, 0.6]'", "row_vector": "[0.4, 0.6]",
		"matrix": "[[1.0, 0.2], [0.2, 1.0]]"}[t]
}

// choices are the types that a word for an argument stands for; shape is that of N, T is what T stands for.
func choices(word, shape, T string) []string {
	word = strings.TrimPrefix(word, "data ")
	var out []string
	for _, w := range strings.Split(word, "|") {
		switch w {
		case "ints":
			out = append(out, "int", "array[] int")
		case "reals":
			out = append(out, "int", "real", "vector", "row_vector", "array[] real", "array[] int")
		case "vectors":
			out = append(out, "vector", "row_vector", "array[] vector", "array[] row_vector")
		case "N":
			out = append(out, shape)
		default:
			if dims, ok := strings.CutSuffix(w, " T"); ok && strings.HasPrefix(T, "array[") {
				out = append(out, "array[,"+strings.TrimPrefix(dims, "array[")[:strings.Index(strings.TrimPrefix(dims, "array["), "]")]+
					strings.TrimPrefix(T, "array["))
				continue
			}
			w = strings.Replace(w, "T", T, 1)
			out = append(out, w)
			if w == "real" {
				out = append(out, "int")
			}
		}
	}
	return out
}

// split splits at the commas that are in no brackets.
func split(s string) []string {
	var out []string
	depth := 0
	word := ""
	for _, r := range s {
		switch {
		case r == '[' || r == '(':
			depth++
		case r == ']' || r == ')':
			depth--
		case r == ',' && depth == 0:
			out, word = append(out, strings.TrimSpace(word)), ""
			continue
		}
		word += string(r)
	}
	if word = strings.TrimSpace(word); word != "" {
		out = append(out, word)
	}
	return out
}

// Every signature of the library can be called with all types that it promises, and what comes back has
// the type that it promises: a function of the program with that type of argument takes it. Functions that
// take functions are tested with the corpus.
func TestSignaturesRun(t *testing.T) {
	w := words()
	list := w.Functions
	for _, d := range w.Distributions {
		suffixes := []string{"_lpdf", "_lupdf"}
		if d.Discrete {
			suffixes = []string{"_lpmf", "_lupmf"}
		}
		if d.CDF {
			suffixes = append(suffixes, "_lcdf", "_lccdf", "_cdf")
		}
		for _, s := range suffixes {
			list = append(list, "real "+d.Name+s+"("+d.Args+")")
		}
	}
	shapes := []string{"real", "int", "vector", "row_vector", "matrix", "array[] real", "array[] int", "array[] vector",
		"array[,] real", "array[] matrix"}
	calls := 0
	for _, s := range list {
		result, name, args, _ := types.Split(s)
		if strings.Contains(args, "(") {
			continue
		}
		patterns := split(args)
		over := []string{"real"}
		if strings.Contains(args, "N") {
			over = shapes
		}
		kinds := []string{"real"}
		if strings.Contains(args, "T") {
			kinds = []string{"real", "int", "vector", "matrix", "array[] real", "array[] int"}
		}
		for _, shape := range over {
			for _, T := range kinds {
				var options [][]string
				for i, p := range patterns {
					o := choices(p, shape, T)
					if p == "N" && i > 0 && shape != "real" {
						o = append(o, "real")
					}
					options = append(options, o)
				}
				for _, given := range combinations(options) {
					calls++
					signatureRuns(t, name, result, shape, T, given)
				}
			}
		}
	}
	t.Logf("%d calls of %d signatures", calls, len(list))
}

// combinations of the options of few arguments; of many, one is changed at a time.
func combinations(options [][]string) [][]string {
	n := 1
	for _, o := range options {
		n *= len(o)
	}
	if n <= 36 {
		out := [][]string{nil}
		for _, o := range options {
			var next [][]string
			for _, head := range out {
				for _, v := range o {
					next = append(next, append(append([]string{}, head...), v))
				}
			}
			out = next
		}
		return out
	}
	var out [][]string
	for i, o := range options {
		for _, v := range o {
			row := make([]string, len(options))
			for k := range row {
				row[k] = options[k][0]
			}
			row[i] = v
			out = append(out, row)
		}
	}
	return out
}

func signatureRuns(t *testing.T, name, result, shape, T string, args []string) {
	switch result {
	case "N":
		result = strings.Replace(shape, "int", "real", 1)
	case "reals", "ints":
		result = strings.TrimSuffix(result, "s")
		for _, a := range args {
			if a != "int" && a != "real" {
				result = "array[] " + strings.TrimPrefix(result, "array[] ")
			}
		}
	default:
		result = choices(result, "", T)[0]
	}
	var values []string
	for _, a := range args {
		values = append(values, sample(a))
	}
	if name == "to_matrix" && len(args) > 1 { // as many places as values
		values[2] = "2"
		if args[0] == "matrix" {
			values[1] = "2"
		}
	}
	list := strings.Join(values, ", ")
	if len(values) > 1 && (strings.Contains(name, "_l") || strings.HasSuffix(name, "cdf")) {
		for _, s := range []string{"pdf", "pmf", "cdf"} {
			if strings.HasSuffix(name, s) {
				list = strings.Replace(list, values[0]+", ", values[0]+" | ", 1)
			}
		}
	}
	src := "functions {\n  void take(" + result + " x) { print(x); }\n}\ntransformed data {\n  take(" + name + "(" + list + "));\n}\n"
	tree, err := syntax.Parse(src)
	if err != nil {
		t.Errorf("%s: %v\n%s", name, err, src)
		return
	}
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%s: panic: %v\n%s", name, r, src)
		}
	}()
	if _, err := Bind(tree, nil, 1); err != nil && !Rejected(err) {
		t.Errorf("%s: %v\n%s", name, err, src)
	}
}

// Whatever the program can call has a signature.
func TestSignaturesComplete(t *testing.T) {
	have := map[string]bool{}
	w := words()
	for _, s := range w.Functions {
		_, name, _, _ := types.Split(s)
		have[name] = true
	}
	for _, d := range w.Distributions {
		have[d.Name+"_lpdf"] = true
	}
	wanted := map[string]bool{}
	for name := range functions {
		wanted[name] = true
	}
	for name := range odes {
		wanted[name] = true
	}
	for name := range unaryOps {
		wanted[name] = true
	}
	for name := range binaryOps {
		wanted[name] = true
	}
	for name := range generators {
		wanted[name+"_rng"] = true
	}
	for name := range joints {
		wanted[name+"_lpdf"] = true
	}
	for name := range wanted {
		if !have[name] {
			t.Errorf("%s has no signature", name)
		}
	}
}

// Binomial coefficients follow Pascal's triangle, and are 0 beside it.
func TestChoose(t *testing.T) {
	src := `transformed data {
  for (n in 1 : 30) {
    if (choose(n, 0) != 1 || choose(n, n) != 1 || choose(n, n + 1) != 0) reject("edge of row ", n);
    for (k in 1 : n) {
      if (choose(n, k) != choose(n - 1, k - 1) + choose(n - 1, k)) reject(n, " over ", k);
    }
  }
}`
	tree, err := syntax.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Bind(tree, nil, 1); err != nil {
		t.Error(err)
	}
}

// sampleOf is a value of a type with n elements, or n by n; n is at most 3.
func sampleOf(t string, n int) string {
	list := func(of string) string { return strings.Join(strings.Fields(strings.Repeat(of+", ", n)), " ") }
	if rest, ok := strings.CutPrefix(t, "array["); ok {
		commas, of, _ := strings.Cut(rest, "] ")
		if commas != "" {
			of = "array[" + commas[1:] + "] " + of
		}
		if n == 0 {
			return "rep_array(" + sampleOf(of, 2) + ", 0)"
		}
		return "{" + strings.TrimSuffix(list(sampleOf(of, 2)), ",") + "}"
	}
	vector := "[" + strings.TrimSuffix(list("0.4"), ",") + "]"
	switch {
	case t == "int":
		return []string{"-1", "0", "1", "2"}[n]
	case t == "real":
		return []string{"0.5", "-0.5", "1.5", "3"}[n]
	case t == "matrix":
		return []string{"rep_matrix(1, 0, 0)", "[[1.0]]", "[[1.0, 0.2], [0.2, 1.0]]", "[[1, 2, 3], [4, 5, 6]]"}[n]
	case n == 0:
		return "rep_" + t + "(1, 0)"
	case t == "vector":
		return vector + "'"
	}
	return vector
}

// Functions of the library that are called with values and sizes that do not suit say so, at the place of the call: no
// call ends in an index that is out of range, or the like.
func TestUnsuitableArguments(t *testing.T) {
	w := words()
	list := w.Functions
	for _, d := range w.Distributions {
		for _, s := range []string{"_lpdf", "_lcdf"} {
			if d.Discrete {
				s = strings.Replace(s, "pdf", "pmf", 1)
			}
			if d.CDF || s != "_lcdf" {
				list = append(list, "real "+d.Name+s+"("+d.Args+")")
			}
		}
	}
	refused := 0
	for _, s := range list {
		_, name, args, _ := types.Split(s)
		if strings.Contains(args, "(") {
			continue
		}
		words := split(args)
		all := 1
		for range words {
			all = min(4*all, 128)
		}
		for code := range all {
			var values []string
			for k, word := range words {
				kinds := choices(word, []string{"real", "vector", "matrix"}[code%3], "vector")
				values = append(values, sampleOf(kinds[code%len(kinds)], code>>(2*k)&3))
			}
			call := name + "(" + strings.Join(values, ", ") + ")"
			if len(values) > 1 && (strings.Contains(name, "_lp") || strings.HasSuffix(name, "cdf")) {
				call = strings.Replace(call, values[0]+", ", values[0]+" | ", 1)
			}
			tree, err := syntax.Parse("transformed data { print(" + call + "); }")
			if err != nil {
				t.Fatalf("%s: %v", call, err)
			}
			_, err = BindPrinting(tree, nil, 1, func(string) {})
			if err == nil {
				continue
			}
			if refused++; !strings.HasPrefix(err.Error(), "1:26: ") || strings.Contains(err.Error(), "fails for arguments") {
				t.Errorf("%s: %v", call, err)
			}
		}
	}
	if refused < 1000 {
		t.Errorf("%d calls were refused", refused)
	}
}
