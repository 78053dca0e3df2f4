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
		found := text[min(at, len(text)-1)]
		n, _ := slices.BinarySearch(quoted, at)
		before := b[:min(at-2*n, len(b))]
		line := 1 + bytes.Count(before, []byte("\n"))
		return nil, fmt.Errorf("line %d, character %d: found %q, which is not JSON there", line,
			len(before)-bytes.LastIndexByte(before, '\n'), found)
	}
	return d, err
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
