package draws

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"strings"

	"bayeskernel/internal/atomicfile"
)

// SchemaVersion is the version of the JSON summary. It goes up when a key changes its meaning or
// goes away, not when one is added.
const SchemaVersion = 1

// WriteSummary writes s to path as JSON. Numbers that JSON cannot write, NaN and the infinities,
// become null. The file appears whole or not at all.
func WriteSummary(path string, s *Summary) error {
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("draws: %w", err)
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(append(b, '\n'))
		return err
	})
}

// ReadSummary reads what WriteSummary wrote. Numbers that are null or not there become NaN.
func ReadSummary(path string) (*Summary, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("draws: %w", err)
	}
	s := new(Summary)
	if err := json.Unmarshal(b, s); err != nil {
		return nil, fmt.Errorf("draws: %s: %w", path, err)
	}
	if s.SchemaVersion < 1 || s.SchemaVersion > SchemaVersion {
		return nil, fmt.Errorf("draws: %s: schema_version is %d, expected 1 to %d", path,
			s.SchemaVersion, SchemaVersion)
	}
	return s, nil
}

// number is a float64 that JSON can hold: null stands for NaN and the infinities.
type number float64

func (x number) MarshalJSON() ([]byte, error) {
	if v := float64(x); !math.IsNaN(v) && !math.IsInf(v, 0) {
		return json.Marshal(v)
	}
	return []byte("null"), nil
}

func (x *number) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*x = number(math.NaN())
		return nil
	}
	return json.Unmarshal(b, (*float64)(x))
}

func numbers(x []float64) []number {
	out := make([]number, len(x))
	for i, v := range x {
		out[i] = number(v)
	}
	return out
}

func floats(x []number) []float64 {
	if x == nil {
		return nil
	}
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}

// marshalStruct writes the fields of the struct v in their order, floats as numbers above. A
// field's key is its tag or else its name, as in target_accept for TargetAccept.
func marshalStruct(v any) ([]byte, error) {
	var b bytes.Buffer
	s := reflect.ValueOf(v)
	for i := range s.NumField() {
		value := s.Field(i).Interface()
		if x, ok := value.(float64); ok {
			value = number(x)
		} else if f := s.Field(i); f.Kind() == reflect.Slice && f.IsNil() {
			value = []int{} // rather than null
		}
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, ",%q:%s", key(s.Type().Field(i)), text)
	}
	return append(append([]byte{'{'}, b.Bytes()[1:]...), '}'), nil
}

// unmarshalStruct reads what marshalStruct wrote into the struct that v points to, with NaN for the
// floats that are null or not there.
func unmarshalStruct(b []byte, v any) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(b, &fields); err != nil {
		return err
	}
	s := reflect.ValueOf(v).Elem()
	for i := range s.NumField() {
		f, name := s.Field(i), key(s.Type().Field(i))
		text, ok := fields[name]
		if f.Kind() == reflect.Float64 {
			f.SetFloat(math.NaN())
			ok = ok && string(text) != "null"
		}
		if !ok {
			continue
		}
		if err := json.Unmarshal(text, f.Addr().Interface()); err != nil {
			return fmt.Errorf("%s is %.40s: %w", name, text, err)
		}
	}
	return nil
}

func key(f reflect.StructField) string {
	if tag, ok := f.Tag.Lookup("json"); ok {
		return tag
	}
	var b strings.Builder
	for i, r := range f.Name {
		if i > 0 && 'A' <= r && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteString(strings.ToLower(string(r)))
	}
	return b.String()
}

// MarshalJSON writes the settings under keys such as target_accept.
func (s Sampler) MarshalJSON() ([]byte, error) { return marshalStruct(s) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *Sampler) UnmarshalJSON(b []byte) error { return unmarshalStruct(b, s) }

// MarshalJSON writes null for statistics that are undefined.
func (p Parameter) MarshalJSON() ([]byte, error) { return marshalStruct(p) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (p *Parameter) UnmarshalJSON(b []byte) error { return unmarshalStruct(b, p) }

// MarshalJSON writes null for statistics that are undefined.
func (c ChainSummary) MarshalJSON() ([]byte, error) { return marshalStruct(c) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (c *ChainSummary) UnmarshalJSON(b []byte) error { return unmarshalStruct(b, c) }

// MarshalJSON writes null for a number that JSON does not have.
func (w Warning) MarshalJSON() ([]byte, error) { return marshalStruct(w) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (w *Warning) UnmarshalJSON(b []byte) error { return unmarshalStruct(b, w) }
