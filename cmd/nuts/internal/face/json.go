package face

import (
	"bytes"
	"encoding/json"
)

// object is a JSON object whose fields keep their order.
type object []field

type field struct {
	name  string
	value any
}

func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for k, f := range o {
		if k > 0 {
			b.WriteByte(',')
		}
		for i, v := range []any{f.name, f.value} {
			if i > 0 {
				b.WriteByte(':')
			}
			text, err := json.Marshal(v)
			if err != nil {
				return nil, err
			}
			b.Write(text)
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
