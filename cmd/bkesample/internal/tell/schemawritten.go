package tell

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
)

var nan = math.NaN()

// members are the keys of the object that JSON writes of a value, in their order, with what is in
// them. Null stands for a number that is not finite.
func members(v any) ([]property, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	in := json.NewDecoder(bytes.NewReader(b))
	in.UseNumber()
	if _, err := in.Token(); err != nil {
		return nil, err
	}
	var out []property
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return nil, err
		}
		var value any
		if err := in.Decode(&value); err != nil {
			return nil, err
		}
		s, err := seen(value)
		if err != nil {
			return nil, fmt.Errorf("schema: %v: %w", name, err)
		}
		out = append(out, property{fmt.Sprint(name), s})
	}
	return out, nil
}

// seen is the schema of values such as one.
func seen(value any) (*schema, error) {
	switch v := value.(type) {
	case nil:
		return &schema{Type: []string{"number", "null"}}, nil
	case string:
		return &schema{Type: "string"}, nil
	case bool:
		return &schema{Type: "boolean"}, nil
	case json.Number:
		return &schema{Type: "integer"}, nil
	case []any:
		if len(v) == 0 {
			return &schema{Type: "array"}, nil
		}
		items, err := seen(v[0])
		return &schema{Type: "array", Items: items}, err
	case map[string]any:
		return &schema{Type: "object"}, nil
	}
	return nil, fmt.Errorf("found %T, want a value of JSON", value)
}
