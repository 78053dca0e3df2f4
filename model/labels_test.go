package model_test

import (
	"fmt"
	"slices"
	"testing"

	"bayeskernel/hmc"
	"bayeskernel/model"
	"bayeskernel/nuts"
)

// Runs carry the labels of factors beside the names.
func TestLabels(t *testing.T) {
	m := model.New()
	feed, in := m.Factor("feed", []string{"horsebean", "linseed", "horsebean"})
	alpha := feed.Reals("alpha", model.Normal(0, m.Positive("tau", model.HalfNormal(1))))
	b := m.Reals("b", 2, model.Normal(0, 1))
	m.Observe(m.Data("y", []float64{1, 2, 3}), model.Normal(alpha.Of(in).Add(b.El(0)), 1))
	p := compile(t, m)
	run, err := nuts.Sample(t.Context(), p.Target, nuts.Config{Settings: hmc.Settings{Warmup: 30, Draws: 10}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"tau", "alpha[horsebean]", "alpha[linseed]", "b[1]", "b[2]"}
	if !slices.Equal(run.Labels, want) || fmt.Sprint(run.Names) != "[tau alpha[1] alpha[2] b[1] b[2]]" {
		t.Errorf("labels %q of names %q", run.Labels, run.Names)
	}
	if s := run.Summary(); s.Parameters[1].Label != "alpha[horsebean]" || s.Parameters[3].Label != "" {
		t.Errorf("parameters %+v", s.Parameters)
	}
}
