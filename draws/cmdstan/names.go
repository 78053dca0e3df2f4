package cmdstan

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"bayeskernel/draws/internal/layout"
)

// column is a column of a CmdStan file and the column of the Run that it holds.
type column struct {
	name string
	col  int
}

// layOut lays names out as CmdStan does: R[2,1] becomes R.2.1, counted from 1, with the first
// index running fastest.
func layOut(names []string) ([]column, error) {
	out := make([]column, 0, len(names))
	seen := map[string]string{}
	for _, v := range layout.Variables(names) {
		safe := columnName(v.Name)
		switch {
		case v.Name == "":
			return nil, fmt.Errorf("cmdstan: parameter %d has an empty name", v.Cols[0]+1)
		case !strings.ContainsFunc(v.Name, func(r rune) bool {
			return asciiAlnum(r) || r > unicode.MaxASCII
		}):
			return nil, fmt.Errorf("cmdstan: parameter name %q has no letter or digit, of which "+
				"CmdStan files make the names of columns, rename it", v.Name)
		case strings.HasSuffix(v.Name, "__"):
			return nil, fmt.Errorf("cmdstan: parameter name %q: names ending in __ are the sampler's "+
				"own columns in CmdStan files, rename it", v.Name)
		}
		if strings.HasSuffix(safe, "__") { // log(scale(x)) is no column of the sampler
			safe = strings.TrimRight(safe, "_") + "_"
		}
		if other, ok := seen[safe]; ok {
			return nil, fmt.Errorf("cmdstan: parameter names %q and %q are both written as %q in "+
				"CmdStan files, rename one", other, v.Name, safe)
		}
		seen[safe] = v.Name
		v.Name = safe
		for e := range v.Cols {
			at := transpose(v, e)
			out = append(out, column{v.Element(at, 1, ".", ".", ""), v.Cols[at]})
		}
	}
	return out, nil
}

// transpose says which element, the last index running fastest, comes e-th when the first index
// runs fastest.
func transpose(v layout.Variable, e int) int {
	at, stride := 0, len(v.Cols)
	for _, d := range v.Dims {
		stride /= d
		at += e % d * stride
		e /= d
	}
	return at
}

// slots are names of parts of tuples, and of arrays of them: t:1, at[1:2,3].
var slots = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*((:[0-9]+)+|\[[0-9]+([:,][0-9]+)*:[0-9]+([:,][0-9]+)*\])$`)

// columnName makes a name that every reader of CmdStan files accepts unchanged: a letter followed
// by ASCII letters, digits and underscores; of tuples with colons, and points before them.
func columnName(name string) string {
	if slots.MatchString(name) {
		return strings.NewReplacer("[", ".", ",", ".", "]", "").Replace(name)
	}
	var b strings.Builder
	for i, r := range name {
		switch {
		case r > unicode.MaxASCII:
			fmt.Fprintf(&b, "u%04x", r)
		case r == ']':
		case !asciiAlnum(r):
			b.WriteByte('_')
		default:
			b.WriteRune(r)
		}
		if i == 0 {
			if s := b.String(); s == "" || s[0] == '_' || s[0] <= '9' {
				b.Reset()
				b.WriteString("p_" + strings.TrimPrefix(s, "_"))
			}
		}
	}
	return b.String()
}

func asciiAlnum(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}

// restoreName turns R.2.1 back into R[2,1].
func restoreName(name string) string {
	base, rest, ok := strings.Cut(name, ".")
	if !ok || base == "" {
		return name
	}
	if _, ok := layout.ParseIndex(rest, "."); !ok {
		return name
	}
	return base + "[" + strings.ReplaceAll(rest, ".", ",") + "]"
}
