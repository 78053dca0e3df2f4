package tell

import (
	"encoding/json"
	"slices"
	"testing"
)

// Every key has a description, and every description is of a key.
func TestDescriptions(t *testing.T) {
	used := map[string]bool{}
	for _, s := range summaries {
		d := describer{used: used}
		if _, err := d.object(s.record); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
	}
	if _, err := (&describer{used: used}).object(graphRecord); err != nil {
		t.Errorf("graph: %v", err)
	}
	for of, keys := range descriptions {
		for name := range keys {
			if !used[of+" "+name] {
				t.Errorf("key %q of %q is described, but nothing has it", name, of)
			}
		}
	}
}

// The keys that other programs rely on are there, in their version.
func TestSchemaKeys(t *testing.T) {
	keys := func(s *schema, path ...string) []string {
		for _, name := range path {
			at := slices.IndexFunc(s.Properties, func(p property) bool { return p.name == name })
			if at < 0 || !slices.Contains(s.Required, name) {
				t.Fatalf("no %q on the way %v", name, path)
			}
			if s = s.Properties[at].schema; s.Items != nil {
				s = s.Items
			}
		}
		return s.Required
	}
	for _, name := range SchemaNames() {
		v, err := Schema(name)
		if err != nil {
			t.Fatal(err)
		}
		s := v.(*schema)
		for _, key := range []string{"schema_version", "command", "seed", "notes"} {
			if !slices.Contains(s.Required, key) {
				t.Errorf("%s: %q is not required", name, key)
			}
		}
		switch name {
		case "sample", "twosample":
			for _, c := range []struct{ path, want []string }{
				{[]string{"test"}, []string{"p", "reject", "statistic", "kernels", "permutations"}},
				{[]string{"test", "kernels"}, []string{"kernel", "theta"}},
				{[]string{"where"}, []string{"from", "to", "more"}},
				{[]string{"places"}, []string{"columns", "at", "more"}},
			} {
				if got := keys(s, c.path...); !slices.Equal(got, c.want) {
					t.Errorf("%s: %v has %v, want %v", name, c.path, got, c.want)
				}
			}
		}
		switch name {
		case "sample", "learn":
			keys(s, "theta_interval", "from")
			keys(s, "model", "samples", "name")
		case "twosample":
			keys(s, "p")
		}
	}
	if _, err := Schema("none"); err == nil {
		t.Error("a schema of nothing")
	}
	all, err := Schema("")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(all); err != nil || len(all.(*schema).AnyOf) != len(summaries) {
		t.Errorf("%v, %d schemas", err, len(all.(*schema).AnyOf))
	}
}
