package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bayeskernel/internal/long"
)

// invalid says where a value does not match a JSON Schema, by the keywords that are used here; ""
// if it does. What a schema does not name is not allowed here, though JSON Schema allows it.
func invalid(t *testing.T, schema map[string]any, v any, at string) string {
	t.Helper()
	for key := range schema {
		if !slices.Contains([]string{"$schema", "$id", "title", "description", "type", "const", "enum",
			"properties", "required", "items", "minItems", "maxItems", "anyOf",
			"additionalProperties"}, key) {
			t.Fatalf("%s: unknown keyword %s", at, key)
		}
	}
	if want, ok := schema["const"]; ok && !reflect.DeepEqual(v, want) {
		return fmt.Sprintf("%s: %v, want %v", at, v, want)
	}
	if list, ok := schema["enum"].([]any); ok && !slices.Contains(list, v) {
		return fmt.Sprintf("%s: %v, want one of %v", at, v, list)
	}
	if list, ok := schema["anyOf"].([]any); ok {
		var all []string
		for _, s := range list {
			text := invalid(t, s.(map[string]any), v, at)
			if text == "" {
				return ""
			}
			all = append(all, text)
		}
		return strings.Join(all, "; ")
	}
	kinds, ok := schema["type"].([]any)
	if !ok {
		kinds = []any{schema["type"]}
	}
	if !slices.ContainsFunc(kinds, func(kind any) bool { return isOfKind(v, kind) }) {
		return fmt.Sprintf("%s: %v, want %v", at, v, kinds)
	}
	switch v := v.(type) {
	case map[string]any:
		return invalidObject(t, schema, v, at)
	case []any:
		least, _ := schema["minItems"].(float64)
		if most, ok := schema["maxItems"].(float64); ok && len(v) > int(most) || len(v) < int(least) {
			return fmt.Sprintf("%s: has %d elements", at, len(v))
		}
		for i, x := range v {
			of := fmt.Sprintf("%s[%d]", at, i)
			if text := invalid(t, schema["items"].(map[string]any), x, of); text != "" {
				return text
			}
		}
	}
	return ""
}

// invalidObject is the same for an object.
func invalidObject(t *testing.T, schema, v map[string]any, at string) string {
	t.Helper()
	required, _ := schema["required"].([]any)
	for _, key := range required {
		if _, ok := v[key.(string)]; !ok {
			return fmt.Sprintf("%s: no %s", at, key)
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(v)) {
		s, ok := properties[key].(map[string]any)
		if !ok && schema["additionalProperties"] == true {
			continue
		}
		if !ok {
			return fmt.Sprintf("%s: has %s", at, key)
		}
		if text := invalid(t, s, v[key], at+"."+key); text != "" {
			return text
		}
	}
	return ""
}

func isOfKind(v, kind any) bool {
	switch v := v.(type) {
	case nil:
		return kind == "null"
	case bool:
		return kind == "boolean"
	case string:
		return kind == "string"
	case float64:
		return kind == "number" || kind == "integer" && v == float64(int64(v))
	case []any:
		return kind == "array"
	case map[string]any:
		return kind == "object"
	}
	return false
}

// schemaNames are those of the records that commands write.
func schemaNames() (out []string) {
	for _, c := range program().Commands {
		for _, r := range c.Records {
			out = append(out, r.Name)
		}
	}
	return out
}

// schemas are those that the program prints, by their names; "" is that of all.
func schemas(t *testing.T) map[string]map[string]any {
	t.Helper()
	out := map[string]map[string]any{}
	for _, name := range append([]string{""}, schemaNames()...) {
		got := call(t, "", strings.Fields("schema "+name)...)
		var s map[string]any
		if err := json.Unmarshal([]byte(got.stdout), &s); err != nil || got.code != 0 ||
			s["$schema"] != "https://json-schema.org/draft/2020-12/schema" {
			t.Fatalf("%s: %v, %+v", name, err, got)
		}
		out[name] = s
	}
	return out
}

// Every summary and graph of the tests matches the schema of its kind, that of all, and no other one.
func TestSchemaOfGoldenFiles(t *testing.T) {
	all := schemas(t)
	files, err := filepath.Glob(filepath.Join(home, "testdata", "*.json"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	seen := map[string]bool{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var v map[string]any
		if err := json.Unmarshal(b, &v); err != nil {
			t.Fatal(err)
		}
		kind, isSummary := v["command"].(string)
		switch {
		case v["groups"] != nil:
			kind = "pairs"
		case v["given"] != nil:
			kind = "given"
		case !isSummary:
			kind = "graph"
		}
		seen[kind] = true
		for name, s := range all {
			text := invalid(t, s, v, filepath.Base(file))
			if right := name == kind || name == "" && isSummary; right != (text == "") {
				t.Errorf("schema %q: %q", name, text)
			}
		}
	}
	if len(seen) != len(schemaNames()) {
		t.Errorf("files of %v, want of %v", seen, schemaNames())
	}
}

// A schema finds what is wrong: a key that is missing, of another type, or of another version.
func TestSchemaRefuses(t *testing.T) {
	s := schemas(t)["twosample"]
	b, err := os.ReadFile(filepath.Join(home, "testdata", "twosample.json"))
	if err != nil {
		t.Fatal(err)
	}
	for key, wrong := range map[string]any{
		"schema_version": 2.0, "p": "0.1", "where": nil, "seed": 1.5,
		"command": "sample", "samples": []any{"p", "q"}, "test": map[string]any{"p": 0.1},
	} {
		var v map[string]any
		if err := json.Unmarshal(b, &v); err != nil {
			t.Fatal(err)
		}
		v[key] = wrong
		if invalid(t, s, v, "it") == "" {
			t.Errorf("%s: %v is valid", key, wrong)
		}
		delete(v, key)
		if invalid(t, s, v, "it") == "" {
			t.Errorf("nothing but %s is valid", key)
		}
	}
	for _, args := range [][]string{{"schema", "none"}, {"schema", "learn", "power"}} {
		if got := call(t, "", args...); got.code != 2 || got.stdout != "" {
			t.Errorf("%v: %+v", args, got)
		}
	}
}

// What flags of causal add to its summary, and to the graph that it prints.
func TestSchemaOfCausal(t *testing.T) {
	long.Skip(t)
	all := schemas(t)
	inFolder(t, weather())
	for _, line := range []string{
		"-test fisherz weather.csv",
		"-test fisherz -stability 6 -alpha .05,.01,.2 -adjust sun->wind -truth truth.json weather.csv",
		"-test fisherz -require ill->sun -adjust ozone->ill -stability 4 weather.csv",
		"-test g2 -categories a,b cats.csv", "-choose learned -inputs 10 -depth 0 wind.csv",
		"-time wind -na drop -depth 1 -test residual -choose median holes.csv",
	} {
		args := append([]string{"causal", "-force", "-format", "json"}, strings.Fields(line)...)
		got := call(t, "", args...)
		summary, err := os.ReadFile("bkesample-out/causal/summary.json")
		if err != nil {
			t.Fatalf("%s: %v, %s", line, err, got.stderr)
		}
		for kind, text := range map[string]string{"graph": got.stdout, "causal": string(summary)} {
			var v map[string]any
			if err := json.Unmarshal([]byte(text), &v); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if text := invalid(t, all[kind], v, kind); text != "" {
				t.Errorf("%s: %s", line, text)
			}
		}
	}
}

// So does what flags add or leave out.
func TestSchemaOfFlags(t *testing.T) {
	all := schemas(t)
	inFolder(t, groupFiles())
	for line, kind := range map[string]string{
		"-n 50 -iter 60 -chains 2 -sensitivity -verify":                          "sample",
		"-iter 60 -chains 2 -ard -no-interval space_p.csv space_q.csv":           "sample",
		"-iter 60 -chains 2 -sensitivity p.csv":                                  "sample",
		"-iter 60 -chains 2 -scale paper -nu gaussian p.csv":                     "sample",
		"learn -ard -map plane_p.csv":                                            "learn",
		"learn -kernel se,matern52,rq:alpha=1 -prior-tau2 flat p.csv":            "learn",
		"twosample -choose agg p.csv q.csv":                                      "twosample",
		"twosample -theta 1 -null gamma p.csv q.csv":                             "twosample",
		"twosample -stop 5 -choose modes space_p.csv space_q.csv":                "twosample",
		"twosample -weights w weighted_p.csv weighted_q.csv":                     "twosample",
		"independence -choose posterior-mean -x a -y b space_p.csv":              "independence",
		"twosample -label species -columns width -choose median iris.csv":        "pairs",
		"power -problem normal:shift=3 -replicates 20 -permutations 39":          "power",
		"power -x a -y b,c -replicates 20 -permutations 39 space_p.csv -most 20": "power",
	} {
		if !long.Enabled() && (strings.Contains(line, "-choose") || strings.HasSuffix(line, " p.csv") && !strings.HasPrefix(line, "learn")) {
			continue
		}
		args := append(strings.Fields(line), "-format", "json")
		got := call(t, "", anew(args...)...)
		var v map[string]any
		if err := json.Unmarshal([]byte(got.stdout), &v); err != nil {
			t.Errorf("%s: %v, %s", line, err, got.stderr)
			continue
		}
		if text := invalid(t, all[kind], v, "summary"); text != "" {
			t.Errorf("%s: %s", line, text)
		}
	}
}
