package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"bayeskernel/internal/jsonfloat"
	"bayeskernel/internal/page"
)

// Picture is what a picture of the page draws, so that other programs can draw it again.
type Picture struct {
	File    string         `json:"file" doc:"The name of its files without extension; empty if it is on the page alone."`
	Kind    string         `json:"kind" doc:"The kind of picture."`
	Caption string         `json:"caption" doc:"What it shows, in sentences."`
	Draws   map[string]any `json:"draws" doc:"The points, curves and words that it draws, by name."`
}

// everyFigure are the figures of the page, in its order.
func (d *Document) everyFigure() []page.Figure {
	all := slices.Clone(d.Figures)
	for _, s := range append([]page.Section{d.Sure, d.Chains, d.Rests}, d.More...) {
		all = append(all, s.Figures...)
	}
	return all
}

// withPictures writes a record, an object, with what the pictures draw as its last key.
func (d *Document) withPictures(w io.Writer) error {
	var list []Picture
	for _, f := range d.everyFigure() {
		v := reflect.Indirect(reflect.ValueOf(f.Draw))
		draws, ok := plain(v).(map[string]any)
		if !ok {
			return fmt.Errorf("summary: a picture is %v, want a struct", v.Type())
		}
		list = append(list, Picture{f.File, strings.ToLower(v.Type().Name()), f.Caption, draws})
	}
	var b bytes.Buffer
	if err := writeJSON(&b, d.Record); err != nil || len(list) == 0 {
		_, e := w.Write(b.Bytes())
		if err == nil {
			err = e
		}
		return err
	}
	text, err := json.MarshalIndent(list, "  ", "  ")
	if err != nil {
		return fmt.Errorf("summary: %w", err)
	}
	head := bytes.TrimSuffix(b.Bytes(), []byte("\n}\n"))
	_, err = fmt.Fprintf(w, "%s,\n  \"pictures\": %s\n}\n", head, text)
	return err
}

// mostNumbers is the length of the longest list of numbers that is printed. A picture that draws
// more, the rows of a large table, has their number in their place.
const mostNumbers = 20_000

// plain turns the numbers of a picture into what JSON can hold. Keys are the names of fields, in small
// letters.
func plain(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return plain(v.Elem())
	case reflect.Struct:
		out := map[string]any{}
		for f, x := range v.Fields() {
			if f.IsExported() && x.Kind() != reflect.Func {
				out[small(f.Name)] = plain(x)
			}
		}
		return out
	case reflect.Slice, reflect.Array:
		if v.Len() > mostNumbers {
			return map[string]any{"left_out": v.Len()}
		}
		out := make([]any, v.Len())
		for i := range out {
			out[i] = plain(v.Index(i))
		}
		return out
	case reflect.Float64:
		return jsonfloat.Number(v.Float())
	}
	return v.Interface()
}

// small writes the name of a field as a key: LogLik as log_lik, XLabel as x_label.
func small(name string) string {
	var b strings.Builder
	letters := []rune(name)
	for i, r := range letters {
		after := i > 0 && unicode.IsLower(letters[i-1])
		before := i > 0 && i+1 < len(letters) && unicode.IsUpper(letters[i-1]) && unicode.IsLower(letters[i+1])
		if unicode.IsUpper(r) && (after || before) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
