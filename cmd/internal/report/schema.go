package report

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/internal/jsonfloat"
)

// version is the version of the records. It goes up when a key changes its meaning or is removed,
// not when one is added.
const version = 1

// Head begins every record.
type Head struct {
	SchemaVersion int    `json:"schema_version" doc:"The version of this schema."`
	Command       string `json:"command" doc:"The command that wrote the file."`
}

// NewHead returns the head of a command's record.
func NewHead(command string) Head { return Head{version, command} }

// A schema is a JSON Schema (draft 2020-12), with only the keywords used here.
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
	Open        bool       `json:"additionalProperties,omitempty"`
	Items       *schema    `json:"items,omitempty"`
	MinItems    int        `json:"minItems,omitempty"`
	MaxItems    int        `json:"maxItems,omitempty"`
	AnyOf       []*schema  `json:"anyOf,omitempty"`
}

// properties are the properties of an object, in the order they are written.
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

const dialect = "https://json-schema.org/draft/2020-12/schema"

// Schema is the command that prints the schemas of the program's records.
func Schema(p *cli.Program) cli.Command {
	c := cli.Command{Name: "schema", Summary: "print the JSON Schema of summary.json, or of graph.json",
		About: `Prints the JSON Schema (draft 2020-12) of the file summary.json, which every command leaves
and -format json prints: of the command that is named, or of all of them. pairs is what is written
of more than two groups, and given what -given leaves. graph is that of graph.json, which
bkesample causal -format json prints.
The schema has the version that stands under schema_version: it goes up when a key changes its
meaning or goes away, not when one is added.`}
	var records []cli.Record
	for _, of := range p.Commands {
		for _, r := range of.Records {
			records, c.Words = append(records, r), append(c.Words, r.Name)
		}
	}
	c.Args = "[NAME]"
	c.About += "\n" + strings.Join(cli.Wrap("The names are "+cli.AndList(c.Words)+".", 95), "\n")
	c.Flags = func(*cli.FlagSet) func(context.Context, *cli.Console, []string) error {
		return func(_ context.Context, con *cli.Console, words []string) error {
			if len(words) > 1 {
				return cli.Usagef("found %d names, want one of %s, or none", len(words), cli.OrList(c.Words))
			}
			s, err := schemaOf(p.Name, strings.Join(words, ""), records)
			if err != nil {
				return cli.Usagef("%v", err)
			}
			out := json.NewEncoder(con.Stdout)
			out.SetIndent("", "  ")
			out.SetEscapeHTML(false)
			return out.Encode(s)
		}
	}
	return c
}

// schemaOf returns the schema of the named record; for the name "", that of any summary.json.
func schemaOf(program, name string, records []cli.Record) (*schema, error) {
	var all []*schema
	var names []string
	for _, r := range records {
		names = append(names, r.Name)
		if name != r.Name && (name != "" || r.File != "") {
			continue
		}
		s, err := describe(program, r)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	switch {
	case len(all) == 0:
		return nil, fmt.Errorf("unknown name %q, want %s", name, cli.OrList(names))
	case name != "":
		all[0].Dialect = dialect
		return all[0], nil
	}
	return &schema{Dialect: dialect, ID: identifier(program, "summary:all"),
		Title: "summary.json of " + program, AnyOf: all}, nil
}

// identifier names a schema and its version.
func identifier(program, of string) string {
	return fmt.Sprintf("urn:bayeskernel:%s:%s:%d", program, of, version)
}

// describe is the schema of one record.
func describe(program string, r cli.Record) (*schema, error) {
	s, err := object(reflect.TypeOf(r.Of))
	if err != nil {
		return nil, err
	}
	s.Description = r.About
	if r.File != "" {
		s.ID, s.Title = identifier(program, r.Name), r.File+" of "+program+" "+r.Commands[0]
		return s, nil
	}
	s.ID, s.Title = identifier(program, "summary:"+r.Name), "summary.json of "+program+": "+r.Name
	for i := range s.Properties {
		switch p := &s.Properties[i]; p.name {
		case "schema_version":
			p.Const = version
		case "command":
			p.Enum = r.Commands
		}
	}
	pictures, err := object(reflect.TypeFor[Picture]())
	s.Properties = append(s.Properties, property{"pictures", &schema{Type: "array", Items: pictures,
		Description: "What the pictures draw; only in what -format json prints."}})
	return s, err
}

// of returns the schema of the JSON that a type is written as.
func of(t reflect.Type) (*schema, error) {
	switch {
	case t == reflect.TypeFor[jsonfloat.Number]():
		return &schema{Type: []string{"number", "null"}}, nil
	case t.Kind() == reflect.Pointer:
		s, err := of(t.Elem())
		if err == nil {
			s.Type = []string{s.Type.(string), "null"}
		}
		return s, err
	}
	switch t.Kind() {
	case reflect.Struct:
		return object(t)
	case reflect.Slice, reflect.Array:
		items, err := of(t.Elem())
		s := &schema{Type: "array", Items: items}
		if t.Kind() == reflect.Array {
			s.MinItems, s.MaxItems = t.Len(), t.Len()
		}
		return s, err
	case reflect.Map:
		return &schema{Type: "object", Open: true}, nil
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

// object is the schema of a struct. The tags of its fields give the key (json), what it holds (doc)
// and the words it may take (enum). A struct that marshals itself must also tag every key; its
// floats may be null.
func object(t reflect.Type) (*schema, error) {
	s := &schema{Type: "object"}
	if v, ok := reflect.Zero(t).Interface().(interface{ JSONKeys() []jsonfloat.Key }); ok {
		for _, k := range v.JSONKeys() {
			p := &schema{Description: k.About, Type: "string"}
			if !k.Text {
				p.Type = []string{"number", "null"}
			}
			s.Properties, s.Required = append(s.Properties, property{k.Name, p}), append(s.Required, k.Name)
		}
		return s, nil
	}
	itself := t.Implements(reflect.TypeFor[json.Marshaler]())
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			o, err := object(inner)
			if err != nil {
				return nil, err
			}
			s.Properties = append(s.Properties, o.Properties...)
			s.Required = append(s.Required, o.Required...)
			continue
		case name == "-" || !f.IsExported() || itself && name == "":
			continue
		}
		p, words := &schema{Type: "string"}, f.Tag.Get("enum")
		switch {
		case words != "":
			p.Enum = strings.Split(words, ",")
		case itself && f.Type.Kind() == reflect.Float64:
			p.Type = []string{"number", "null"}
		default:
			var err error
			if p, err = of(f.Type); err != nil {
				return nil, err
			}
		}
		if p.Description = f.Tag.Get("doc"); p.Description == "" {
			return nil, fmt.Errorf("schema: key %q of %v has no tag doc, want a sentence", name, t)
		}
		s.Properties = append(s.Properties, property{name, p})
		if options != "omitempty" {
			s.Required = append(s.Required, name)
		}
	}
	return s, nil
}
