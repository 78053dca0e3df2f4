// Package jsonfloat writes float64 as JSON, which has neither NaN nor infinities: they become null.
package jsonfloat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
)

// Number is a float64 that JSON can hold: null stands for NaN and the infinities.
type Number float64

// MarshalJSON writes a number or null.
func (x Number) MarshalJSON() ([]byte, error) {
	if v := float64(x); !math.IsNaN(v) && !math.IsInf(v, 0) {
		return json.Marshal(v)
	}
	return []byte("null"), nil
}

// UnmarshalJSON reads a number, and null as NaN.
func (x *Number) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*x = Number(math.NaN())
		return nil
	}
	return json.Unmarshal(b, (*float64)(x))
}

// Slice returns x as Numbers; it is never nil, so that JSON has an empty list.
func Slice(x []float64) []Number {
	out := make([]Number, len(x))
	for i, v := range x {
		out[i] = Number(v)
	}
	return out
}

// Member is a key of a JSON object and its value.
type Member struct {
	Key   string
	Value any
}

// Object writes an object in the order of its members. Keys are plain words.
func Object(members []Member) ([]byte, error) {
	b := bytes.NewBufferString("{")
	for i, m := range members {
		text, err := json.Marshal(m.Value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, "%q:%s", m.Key, text)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Key says what is under a key of an object, for a schema: text, or else a number or null.
type Key struct {
	Name, About string
	Text        bool
}
