package stan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
)

// parseJSON reads an object in which, as in CmdStan's, NaN, Inf and Infinity may stand without quotes.
func parseJSON(b []byte) (Data, error) {
	text, quoted := quote(b)
	d := Data{}
	err := json.Unmarshal(text, (*map[string]any)(&d))
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil && d == nil, errors.As(err, &kind):
		return nil, errors.New(`found no JSON object, want one such as {"N": 3, "y": [1, 2, 3]}`)
	case errors.As(err, &syntax) && syntax.Error() == "unexpected end of JSON input":
		return nil, errors.New("the JSON ends before its last list or object does")
	case errors.As(err, &syntax):
		at := max(0, int(syntax.Offset)-1)
		return nil, fmt.Errorf("%s: found %q, which is not JSON there", place(b, at, quoted), text[min(at, len(text)-1)])
	}
	if name, at := again(text); name != "" {
		return nil, fmt.Errorf("%s: %s comes a second time, want one value of it", place(b, at, quoted), name)
	}
	return d, err
}

// place is that of a byte of text that quotes were put into.
func place(b []byte, at int, quoted []int) string {
	n, _ := slices.BinarySearch(quoted, at)
	before := b[:min(at-2*n, len(b))]
	return fmt.Sprintf("line %d, character %d", 1+bytes.Count(before, []byte("\n")), len(before)-bytes.LastIndexByte(before, '\n'))
}

// again is the first name of an object that comes a second time, in its quotes, and where; "" if there is none.
func again(text []byte) (name string, at int) {
	seen, depth := map[string]bool{}, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			from := i
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if after := bytes.TrimLeft(text[i+1:], " \t\r\n"); depth > 1 || len(after) == 0 || after[0] != ':' {
				continue // a value
			}
			var key string
			if err := json.Unmarshal(text[from:i+1], &key); err == nil && seen[key] {
				return string(text[from : i+1]), from
			}
			seen[key] = true
		}
	}
	return "", 0
}

var bare = regexp.MustCompile(`^[-+]?(NaN|Infinity|Inf)\b`)

// quote puts quotes around numbers that JSON has not, and returns where they begin now.
func quote(b []byte) (out []byte, at []int) {
	inside := false
	for i := 0; i < len(b); i++ {
		c := b[i]
		switch {
		case inside && c == '\\' && i+1 < len(b):
			out = append(out, c)
			i++
			c = b[i]
		case c == '"':
			inside = !inside
		case !inside && (c == 'N' || c == 'I' || (c == '-' || c == '+') && i+1 < len(b) && (b[i+1] == 'I' || b[i+1] == 'N')):
			if name := bare.Find(b[i:]); name != nil {
				at = append(at, len(out))
				out = append(append(append(out, '"'), name...), '"')
				i += len(name) - 1
				continue
			}
		}
		out = append(out, c)
	}
	return out, at
}
