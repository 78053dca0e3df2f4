package stan

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// parseDump reads data as R's dump writes them: name <- value, where a value is a number, a range 1:10, c(...),
// structure(c(...), .Dim = c(2, 3)), or integer(0) and its like. Arrays have their first index fastest.
func parseDump(b []byte) (Data, error) {
	r := &dumpReader{src: string(b), line: 1}
	if head, _, _ := strings.Cut(r.src, "\n"); strings.ContainsAny(head, ",;\t") && !strings.ContainsAny(head, "=<#") {
		return nil, errors.New(`line 1: this looks like a table: write it as JSON, by the names of the data block, ` +
			`such as {"N": 3, "x": [1.5, 2, 4]}`)
	}
	out := Data{}
	for {
		r.space(true)
		if r.at == len(r.src) {
			return out, nil
		}
		name, err := r.name()
		if err != nil {
			return nil, err
		}
		if !r.take("<-") && !r.take("=") {
			return nil, r.errorf("want <- after %s", name)
		}
		v, err := r.value()
		if err != nil {
			return nil, err
		}
		out[name] = v
		if r.space(false); r.at < len(r.src) && r.src[r.at] != '\n' && r.src[r.at] != ';' {
			return nil, r.errorf("want the end of the line after the value of %s", name)
		}
	}
}

type dumpReader struct {
	src  string
	at   int
	line int
	made int // values of ranges and zeros
}

func (r *dumpReader) errorf(format string, args ...any) error {
	found := "the end of the file"
	if rest := r.src[r.at:]; rest != "" {
		found = strconv.Quote(string([]rune(rest[:min(40, len(rest))])[0]))
	}
	return fmt.Errorf("line %d: %s, found %s", r.line, fmt.Sprintf(format, args...), found)
}

// space skips spaces and comments; newlines and semicolons too if lines is true.
func (r *dumpReader) space(lines bool) {
	for r.at < len(r.src) {
		switch c := r.src[r.at]; {
		case c == '\n' && lines:
			r.line++
		case c == ' ' || c == '\t' || c == '\r' || c == ';' && lines:
		case c == '#':
			for r.at+1 < len(r.src) && r.src[r.at+1] != '\n' {
				r.at++
			}
		default:
			return
		}
		r.at++
	}
}

// take skips a word that comes next.
func (r *dumpReader) take(word string) bool {
	r.space(true)
	if !strings.HasPrefix(r.src[r.at:], word) {
		return false
	}
	r.at += len(word)
	return true
}

func (r *dumpReader) name() (string, error) {
	if q := r.src[r.at]; q == '"' || q == '\'' || q == '`' {
		end := strings.IndexByte(r.src[r.at+1:], q)
		if end < 0 {
			return "", r.errorf("a name has no closing %c", q)
		}
		s := r.src[r.at+1 : r.at+1+end]
		r.at += end + 2
		return s, nil
	}
	from := r.at
	for r.at < len(r.src) {
		c := rune(r.src[r.at])
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_' && c != '.' {
			break
		}
		r.at++
	}
	if from == r.at {
		return "", r.errorf("want the name of a variable")
	}
	return r.src[from:r.at], nil
}

// value is a number, or an array of them as nested lists.
func (r *dumpReader) value() (any, error) {
	if r.take("structure(") {
		list, err := r.list()
		if err != nil {
			return nil, err
		}
		if !r.take(",") || !r.take(".Dim") && !r.take("dim") || !r.take("=") {
			return nil, r.errorf("want .Dim in structure()")
		}
		dims, err := r.list()
		if err != nil {
			return nil, err
		}
		if !r.take(")") {
			return nil, r.errorf("want ) after structure(")
		}
		total, lists, sizes := 1, 1.0, make([]int, len(dims))
		for i, d := range dims {
			sizes[i] = int(d)
			if d != math.Floor(d) || !(d >= 0 && lists*max(d, 1) <= max(mostMade, float64(len(list)))) {
				return nil, r.errorf("a dimension is %v", d)
			}
			lists *= max(d, 1) // of an array without elements, too
			total *= sizes[i]
		}
		if total != len(list) {
			return nil, r.errorf("%d values have the dimensions %v", len(list), sizes)
		}
		return nested(list, sizes, 0, 1), nil
	}
	list, err := r.list()
	if err != nil {
		return nil, err
	}
	return nested(list, []int{len(list)}, 0, 1), nil
}

// nested are the values from a place on, in steps, of an array whose first index is fastest.
func nested(list []float64, sizes []int, from, step int) any {
	if len(sizes) == 0 {
		return list[from]
	}
	out := make([]any, sizes[0])
	for i := range out {
		out[i] = nested(list, sizes[1:], from+i*step, step*sizes[0])
	}
	return out
}

// mostMade is how many values ranges and zeros may make: a few letters could ask for all memory.
const mostMade = 1e7

// makes reports whether n more values may be made.
func (r *dumpReader) makes(n float64) bool {
	if !(n >= 0 && n <= mostMade-float64(r.made)) {
		return false
	}
	r.made += int(n)
	return true
}

// list reads c(...), a range, a number, or a call that makes zeros.
func (r *dumpReader) list() ([]float64, error) {
	if r.take("c(") {
		out := []float64{}
		for !r.take(")") {
			if len(out) > 0 && !r.take(",") {
				return nil, r.errorf("want , or ) in c()")
			}
			more, err := r.list()
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
		}
		return out, nil
	}
	for _, zeros := range []string{"integer(", "numeric(", "double(", "vector(\"numeric\",", "vector(\"integer\","} {
		if r.take(zeros) {
			n, err := r.number()
			if err != nil {
				return nil, err
			}
			if !r.take(")") {
				return nil, r.errorf("want a size and ) after %s", zeros)
			}
			if !r.makes(n) {
				return nil, r.errorf("%s%v) is not read: ranges and zeros make at most %v values", zeros, n, int(mostMade))
			}
			return make([]float64, int(n)), nil
		}
	}
	x, err := r.number()
	if err != nil {
		return nil, err
	}
	if r.at < len(r.src) && r.src[r.at] == ':' {
		r.at++
		to, err := r.number()
		if err != nil {
			return nil, err
		}
		n := math.Floor(math.Abs(to-x)) + 1
		if !r.makes(n) {
			return nil, r.errorf("a range from %v to %v is too long: ranges and zeros make at most %v values", x, to, int(mostMade))
		}
		out := make([]float64, int(n))
		for i := range out {
			out[i] = x + math.Copysign(float64(i), to-x)
		}
		return out, nil
	}
	return []float64{x}, nil
}

func (r *dumpReader) number() (float64, error) {
	r.space(true)
	from := r.at
	for r.at < len(r.src) {
		c := r.src[r.at]
		sign := (c == '-' || c == '+') && (r.at == from || r.src[r.at-1] == 'e' || r.src[r.at-1] == 'E')
		if !sign && !(c >= '0' && c <= '9') && !unicode.IsLetter(rune(c)) && c != '.' {
			break
		}
		r.at++
	}
	word := strings.TrimSuffix(r.src[from:r.at], "L")
	switch word {
	case "TRUE":
		return 1, nil
	case "FALSE":
		return 0, nil
	case "NA", "NA_integer_", "NA_real_":
		return 0, r.errorf("Stan has no missing values: NA")
	}
	v, err := strconv.ParseFloat(word, 64)
	if err != nil && !math.IsInf(v, 0) || word == "" {
		return 0, r.errorf("%q is no number", word)
	}
	return v, nil
}
