package causal

import (
	"context"
	"testing"
)

// The other test separates b and c, and does not separate a and c.
func TestDisagreements(t *testing.T) {
	test := scripted{"ac|": true, "bd|": true, "ad|": true}
	r := learn(t, test, Options{})
	got, err := Disagreements(context.Background(), r, scripted{"bd|": true, "ad|": true, "bc|": true,
		"ab|": true}, Options{})
	if err != nil || len(got) != 3 {
		t.Fatalf("%+v, %v", got, err)
	}
	for i, want := range []struct {
		pair string
		edge bool
	}{{"ab", true}, {"bc", true}, {"ac", false}} {
		if d := got[i]; d.X+d.Y != want.pair || d.Adjacent != want.edge || len(d.S) != 0 {
			t.Errorf("%+v, want %+v", d, want)
		}
	}
	if got, err := Disagreements(context.Background(), r, test, Options{}); err != nil || got != nil {
		t.Errorf("%+v, %v", got, err)
	}
}
