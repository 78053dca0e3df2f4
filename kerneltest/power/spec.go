package power

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// spec is "name:key=value,key=value".
type spec struct {
	name   string
	keys   []string // in the order given
	values map[string]string
}

func (s spec) String() string {
	out := s.name
	for i, k := range s.keys {
		out += string(":,"[min(i, 1)]) + k + "=" + s.values[k]
	}
	return out
}

// parseSpecs reads specs with white space between them. A value a/b/c stands for three specs.
func parseSpecs(text string) ([]spec, error) {
	var out []spec
	for _, word := range strings.Fields(text) {
		name, rest, _ := strings.Cut(word, ":")
		all := []spec{{name: name, values: map[string]string{}}}
		for part := range strings.SplitSeq(rest, ",") {
			if rest == "" {
				break
			}
			k, v, ok := strings.Cut(part, "=")
			if _, twice := all[0].values[k]; !ok || k == "" || v == "" || twice {
				return nil, fmt.Errorf("%q in %q is not key=value, or the second of its key", part,
					word)
			}
			var next []spec
			for _, s := range all {
				for value := range strings.SplitSeq(v, "/") {
					next = append(next, s.with(k, value))
				}
			}
			all = next
		}
		out = append(out, all...)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("nothing was named")
	}
	return out, nil
}

func (s spec) with(key, value string) spec {
	next := spec{name: s.name, keys: append(slices.Clone(s.keys), key), values: map[string]string{}}
	for k, v := range s.values {
		next.values[k] = v
	}
	next.values[key] = value
	return next
}

// numbers reads the values as numbers, given the keys there may be and their defaults, and returns
// a name in which every number is written one way, defaults are left out and keys are in order.
func (s spec) numbers(defaults []setting) (map[string]float64, string, error) {
	out := make(map[string]float64)
	var keys []string
	for _, d := range defaults {
		out[d.key] = d.value
		keys = append(keys, d.key)
	}
	for k, text := range s.values {
		if !slices.Contains(keys, k) {
			return nil, "", fmt.Errorf("%s has no %q, want one of %s", s.name, k,
				strings.Join(keys, ", "))
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !isFinite(v) {
			return nil, "", fmt.Errorf("%s of %s is %q, want a number", k, s.name, text)
		}
		out[k] = v
	}
	name, sep := s.name, ":"
	for _, d := range defaults {
		if v := out[d.key]; v != d.value {
			name += sep + d.key + "=" + strconv.FormatFloat(v, 'g', -1, 64)
			sep = ","
		}
	}
	return out, name, nil
}

// setting is a parameter of a problem.
type setting struct {
	key   string
	value float64 // the default
	min   float64
	max   float64
	whole bool
}

func (s setting) check(name string, v float64) error {
	if v < s.min || v > s.max || s.whole && v != float64(int64(v)) {
		kind := "number"
		if s.whole {
			kind = "whole number"
		}
		return fmt.Errorf("%s of %s is %v, want a %s from %v to %v", s.key, name, v, kind, s.min,
			s.max)
	}
	return nil
}
