package tell

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"bayeskernel/causal/graph"
	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/draws"
	"bayeskernel/internal/jsonfloat"
)

// A schema is a JSON Schema (draft 2020-12), as far as it is used here.
type schema struct {
	Dialect     string     `json:"$schema,omitempty"`
	ID          string     `json:"$id,omitempty"`
	Title       string     `json:"title,omitempty"`
	Description string     `json:"description,omitempty"`
	Type        any        `json:"type,omitempty"` // one word, or a list of them
	Const       any        `json:"const,omitempty"`
	Enum        []string   `json:"enum,omitempty"`
	Properties  properties `json:"properties,omitempty"`
	Required    []string   `json:"required,omitempty"`
	Items       *schema    `json:"items,omitempty"`
	MinItems    int        `json:"minItems,omitempty"`
	MaxItems    int        `json:"maxItems,omitempty"`
	AnyOf       []*schema  `json:"anyOf,omitempty"`
}

// properties are those of an object, in the order in which they are written.
type properties []property

type property struct {
	name string
	*schema
}

// MarshalJSON writes an object.
func (ps properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, p := range ps {
		text, err := json.Marshal(p.schema)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%c%q:%s", "{,"[min(i, 1)], p.name, text)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// summaries are the kinds of summary.json.
var summaries = []struct {
	name     string
	record   reflect.Type
	commands []string
	about    string
}{
	{"sample", reflect.TypeFor[Summary](), []string{"sample"}, "What the main command found."},
	{"learn", reflect.TypeFor[learned](), []string{"learn"}, "What bkesample learn found."},
	{"twosample", reflect.TypeFor[testSummary](), []string{"twosample"}, "A test of two samples."},
	{"independence", reflect.TypeFor[testSummary](), []string{"independence"},
		"A test of independence."},
	{"power", reflect.TypeFor[powerSummary](), []string{"power"},
		"The number of rows that a test needs."},
	{"novelty", reflect.TypeFor[noveltySummary](), []string{"novelty"}, "The novelty of rows."},
	{"embed", reflect.TypeFor[embedSummary](), []string{"embed"}, "A map of samples."},
	{"pairs", reflect.TypeFor[pairsSummary](), []string{"sample", "twosample"},
		"Tests of all pairs of more than two groups."},
	{"causal", reflect.TypeFor[causalSummary](), []string{"causal"}, "A causal graph and its tests."},
}

const dialect = "https://json-schema.org/draft/2020-12/schema"

// SchemaNames lists the kinds of summary.json.
func SchemaNames() []string {
	var out []string
	for _, s := range summaries {
		out = append(out, s.name)
	}
	return out
}

// GraphName is the name of the schema of graph.json.
const GraphName = "graph"

var graphRecord = reflect.TypeFor[causalGraph]()

// graphSchema is that of graph.json, which bkesample causal prints as JSON.
func graphSchema() (any, error) {
	out, err := new(describer).object(graphRecord)
	if err != nil {
		return nil, err
	}
	out.Dialect = dialect
	out.ID = fmt.Sprintf("urn:bayeskernel:bkesample:graph:%d", draws.SchemaVersion)
	out.Title, out.Description = "graph.json of bkesample causal", "A causal graph; -format json prints it."
	return out, nil
}

// Schema is the JSON Schema of summary.json: of one kind, or of all for the name "". GraphName is
// that of graph.json.
func Schema(name string) (any, error) {
	if name == GraphName {
		return graphSchema()
	}
	var all []*schema
	for _, s := range summaries {
		if name != "" && name != s.name {
			continue
		}
		d := describer{independence: s.name == "independence"}
		out, err := d.object(s.record)
		if err != nil {
			return nil, err
		}
		out.ID, out.Title = identifier(s.name), "summary.json of bkesample: "+s.name
		out.Description = s.about
		for i := range out.Properties {
			switch p := &out.Properties[i]; p.name {
			case "schema_version":
				p.Const = draws.SchemaVersion
			case "command":
				p.Enum = s.commands
			}
		}
		all = append(all, out)
	}
	switch {
	case len(all) == 0:
		return nil, fmt.Errorf("unknown name %q, want %s", name,
			cli.OrList(append(SchemaNames(), GraphName)))
	case name != "":
		all[0].Dialect = dialect
		return all[0], nil
	}
	return &schema{Dialect: dialect, ID: identifier("all"), Title: "summary.json of bkesample",
		AnyOf: all}, nil
}

// identifier names a schema in its version.
func identifier(name string) string {
	return fmt.Sprintf("urn:bayeskernel:bkesample:summary:%s:%d", name, draws.SchemaVersion)
}

// describer makes schemas of types.
type describer struct {
	independence bool // the record of a test has no verdict on samples
	used         map[string]bool
}

// of is the schema of what JSON holds for a value of a type.
func (d *describer) of(t reflect.Type) (*schema, error) {
	switch {
	case t == reflect.TypeFor[jsonfloat.Number]():
		return &schema{Type: []string{"number", "null"}}, nil
	case t.Kind() == reflect.Pointer:
		s, err := d.of(t.Elem())
		if err == nil {
			s.Type = []string{s.Type.(string), "null"}
		}
		return s, err
	case t == reflect.TypeFor[graph.Mark]():
		return &schema{Type: "string", Enum: []string{"tail", "arrow"}}, nil
	case t.Implements(reflect.TypeFor[json.Marshaler]()):
		return d.written(t)
	}
	switch t.Kind() {
	case reflect.Struct:
		return d.object(t)
	case reflect.Slice, reflect.Array:
		items, err := d.of(t.Elem())
		s := &schema{Type: "array", Items: items}
		if t.Kind() == reflect.Array {
			s.MinItems, s.MaxItems = t.Len(), t.Len()
		}
		return s, err
	case reflect.String:
		return &schema{Type: "string"}, nil
	case reflect.Bool:
		return &schema{Type: "boolean"}, nil
	case reflect.Int, reflect.Uint64:
		return &schema{Type: "integer"}, nil
	case reflect.Float64:
		return &schema{Type: "number"}, nil
	}
	return nil, fmt.Errorf("schema: type is %v, want one that JSON has", t)
}

// object is the schema of a struct by its tags.
func (d *describer) object(t reflect.Type) (*schema, error) {
	s := &schema{Type: "object"}
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && f.Type.Kind() == reflect.Pointer && d.independence:
			continue
		case f.Anonymous:
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			o, err := d.object(inner)
			if err != nil {
				return nil, err
			}
			s.Properties = append(s.Properties, o.Properties...)
			s.Required = append(s.Required, o.Required...)
			continue
		case name == "-" || !f.IsExported():
			continue
		}
		p, err := d.of(f.Type)
		if err != nil {
			return nil, err
		}
		if err := d.add(s, t, name, p, options == "omitempty"); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// add adds a property with its description.
func (d *describer) add(s *schema, t reflect.Type, name string, p *schema, optional bool) error {
	p.Description = d.describe(t, name)
	if p.Description == "" {
		return fmt.Errorf("schema: key %q of %v has no description, want one", name, t)
	}
	s.Properties = append(s.Properties, property{name, p})
	if !optional {
		s.Required = append(s.Required, name)
	}
	return nil
}

// describe finds the description of a key; that of a key that several types share is under "".
func (d *describer) describe(t reflect.Type, name string) string {
	for _, of := range []string{t.String(), ""} {
		if text := descriptions[of][name]; text != "" {
			if d.used != nil {
				d.used[of+" "+name] = true
			}
			return text
		}
	}
	return ""
}

// written is the schema of a type that writes itself, seen from what it writes of a value in which
// nothing is empty and no number is finite. What it leaves out of an empty value is not required.
func (d *describer) written(t reflect.Type) (*schema, error) {
	var list [2][]property
	for k := range list {
		v := reflect.New(t).Elem()
		if k == 1 {
			fill(v)
		}
		var err error
		if list[k], err = members(v.Interface()); err != nil {
			return nil, err
		}
	}
	s := &schema{Type: "object"}
	for _, p := range list[1] {
		if p.schema.Items != nil && p.schema.Items.Type == "object" { // its keys are those of a field
			f, ok := t.FieldByNameFunc(func(name string) bool { return strings.EqualFold(name, p.name) })
			if !ok {
				return nil, fmt.Errorf("schema: %v has no field for key %q, want one", t, p.name)
			}
			var err error
			if p.schema, err = d.of(f.Type); err != nil {
				return nil, err
			}
		}
		required := slices.ContainsFunc(list[0], func(q property) bool { return q.name == p.name })
		if err := d.add(s, t, p.name, p.schema, !required); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// fill puts something into all fields of a struct.
func fill(v reflect.Value) {
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Struct:
			fill(f)
		case reflect.Float64:
			f.SetFloat(nan)
		case reflect.String:
			f.SetString("some")
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		}
	}
}
