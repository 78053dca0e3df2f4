package power

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// toy is a problem of a single number, and threshold a method that looks at it and at its seed.
func toy(name string) Problem {
	return Problem{Name: name, Draw: func(r *rand.Rand) (x, y *mat.Dense) {
		return mat.NewDense(1, 1, []float64{r.Float64()}), mat.NewDense(1, 1, nil)
	}}
}

func threshold(name string, at float64) Method {
	return Method{Name: name, Test: func(_ context.Context, d Data, seed uint64) (Outcome, error) {
		v := d.X.At(0, 0)
		return Outcome{P: v, Reject: v < at,
			Numbers: map[string]float64{"seed": float64(seed >> 40), "inf": math.Inf(1)}}, nil
	}}
}

func mustMerge(t *testing.T, records ...Record) []Record {
	t.Helper()
	out, err := merge(records)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The same records come from one run, from ranges of replicates, from methods one by one, from any
// number of goroutines, and from runs that continue others.
func TestRunDependsOnSeedAndReplicateAlone(t *testing.T) {
	ctx := context.Background()
	problems := []Problem{toy("a"), toy("b")}
	methods := []Method{threshold("low", 0.2), threshold("high", 0.7)}
	whole, err := Run(ctx, problems, methods, Options{Seed: 5, Replicates: 12, Parallel: 1})
	if err != nil || len(whole) != 24 {
		t.Fatalf("%d records, error %v", len(whole), err)
	}
	var parts []Record
	for first := 0; first < 12; first += 4 {
		for _, m := range methods {
			cfg := Options{Seed: 5, First: first, Replicates: 4, Parallel: 3}
			for _, p := range problems {
				part, err := Run(ctx, []Problem{p}, []Method{m}, cfg)
				if err != nil {
					t.Fatal(err)
				}
				parts = append(parts, part...)
			}
		}
	}
	if got := mustMerge(t, parts...); !reflect.DeepEqual(got, whole) {
		t.Errorf("from parts: %v\nwant %v", got, whole)
	}
	cfg := Options{Seed: 5, Replicates: 12, Have: whole[:7]}
	fresh := 0
	cfg.OnRecord = func(Record) error { fresh++; return nil }
	again, err := Run(ctx, problems, methods, cfg)
	if err != nil || !reflect.DeepEqual(again, whole) || fresh != 24-7 {
		t.Errorf("continued: %d new records, error %v, equal %v", fresh, err,
			reflect.DeepEqual(again, whole))
	}
	other, err := Run(ctx, problems, methods, Options{Seed: 6, Replicates: 12})
	if err != nil {
		t.Fatal(err)
	}
	same := 0
	for i := range other {
		if other[i].Results["low"].P == whole[i].Results["low"].P {
			same++
		}
		if i > 0 && whole[i].Results["low"].P == whole[i-1].Results["low"].P {
			t.Errorf("records %d and %d have the same data", i-1, i)
		}
	}
	if same > 0 {
		t.Errorf("%d replicates of seeds 5 and 6 are the same", same)
	}
}

func TestRunFileResumes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "study.jsonl")
	problems, methods := []Problem{toy("a")}, []Method{threshold("low", 0.2)}
	cfg := Options{Seed: 1, Replicates: 6, Settings: "s", Parallel: 1}
	want, err := RunFile(context.Background(), path, problems, methods, cfg)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first := `{"problem":"a","settings":"s","seed":1,"replicate":0,"results":{"low":{"p":`
	if !strings.HasPrefix(string(text), first) || strings.Count(string(text), "\n") != 6 {
		t.Errorf("the file is %s", text)
	}
	// Whatever the length of what was written of the last line, the study ends as it would have.
	from := bytes.LastIndexByte(text[:len(text)-1], '\n')
	for cut := from; cut <= len(text); cut++ {
		if err := os.WriteFile(path, text[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := RunFile(context.Background(), path, problems, methods, cfg)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("cut at %d: error %v, records %v", cut, err, got)
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, text) {
			t.Fatalf("cut at %d: error %v, the file is %s", cut, err, now)
		}
	}
	// Further methods go to further lines.
	both := append(methods, threshold("high", 0.7))
	got, err := RunFile(context.Background(), path, problems, both, cfg)
	if err != nil || len(got) != 6 || len(got[5].Results) != 2 {
		t.Errorf("error %v, records %v", err, got)
	}
	now, _ := os.ReadFile(path)
	if read, err := Read(bytes.NewReader(now)); err != nil || len(read) != 12 ||
		!reflect.DeepEqual(mustMerge(t, read...), got) {
		t.Errorf("read %d records, error %v", len(read), err)
	}
	var merged bytes.Buffer
	if err := Write(&merged, got...); err != nil || bytes.Count(merged.Bytes(), []byte("\n")) != 6 {
		t.Errorf("merged: %s, error %v", &merged, err)
	}
	if read, err := Read(&merged); err != nil || !reflect.DeepEqual(read, got) {
		t.Errorf("merged and read: %v, error %v", read, err)
	}
	if torn, err := Read(bytes.NewReader(now[:len(now)-2])); err != nil || len(torn) != 11 {
		t.Errorf("of a cut file %d records are read, error %v", len(torn), err)
	}
	if full, err := Read(bytes.NewReader(now[:len(now)-1])); err != nil || len(full) != 12 {
		t.Errorf("without the last line feed %d records are read, error %v", len(full), err)
	}
	cfg.Settings = "others"
	if _, err := RunFile(context.Background(), path, problems, methods, cfg); err == nil {
		t.Error("results of other settings were mixed in")
	}
}

func TestReadErrors(t *testing.T) {
	for _, text := range []string{"x\n", "{}\n",
		"{\"problem\":\"a\",\"results\":{\"m\":{\"p\":1}}}\nx\n",
		`{"problem":"a","replicate":-1,"results":{"m":{"p":1}}}` + "\n",
		`{"problem":"a","results":{"m":{"p":"1"}}}` + "\n"} {
		if _, err := Read(strings.NewReader(text)); err == nil ||
			!strings.HasPrefix(err.Error(), "power: line ") {
			t.Errorf("%q: error %v", text, err)
		}
	}
	if got, err := Read(strings.NewReader("\n\n")); err != nil || len(got) != 0 {
		t.Errorf("empty lines: %v, error %v", got, err)
	}
}

func TestRunStops(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("enough")
	var calls atomic.Int32
	slow := Method{Name: "slow", Test: func(ctx context.Context, _ Data, _ uint64) (Outcome, error) {
		if calls.Add(1) == 5 {
			cancel(why)
			return Outcome{}, ctx.Err()
		}
		return Outcome{P: 1}, nil
	}}
	got, err := Run(ctx, []Problem{toy("a")}, []Method{threshold("low", 0.2), slow},
		Options{Replicates: 50, Parallel: 1})
	if !errors.Is(err, why) || len(got) != 5 || len(got[4].Results) != 1 {
		t.Errorf("%d records, error %v", len(got), err)
	}
	// What was cut short is completed later.
	again, err := Run(context.Background(), []Problem{toy("a")},
		[]Method{threshold("low", 0.2), slow}, Options{Replicates: 6, Have: got})
	if err != nil || len(again) != 6 || len(again[4].Results) != 2 || calls.Load() != 7 {
		t.Errorf("%d records, %d calls, error %v", len(again), calls.Load(), err)
	}
	if _, err := Run(context.Background(), []Problem{toy("a")}, []Method{threshold("low", 0.2)},
		Options{Replicates: 1, Parallel: -1}); err == nil || !strings.Contains(err.Error(), "Parallel is -1") {
		t.Errorf("error %v, want one that names Parallel", err)
	}
	full := errors.New("disk full")
	got, err = Run(context.Background(), []Problem{toy("a")}, []Method{threshold("low", 0.2)},
		Options{Replicates: 50, Parallel: 1, OnRecord: func(Record) error { return full }})
	if !errors.Is(err, full) || len(got) == 0 || len(got) > 3 {
		t.Errorf("%d records, error %v", len(got), err)
	}
}

// Tests that fail or panic are kept as such; a problem that does ends the study.
func TestFailures(t *testing.T) {
	bad := []Method{
		{Name: "fails", Test: func(context.Context, Data, uint64) (Outcome, error) {
			return Outcome{Reject: true}, errors.New("no")
		}},
		{Name: "panics", Test: func(context.Context, Data, uint64) (Outcome, error) { panic("oh") }},
	}
	got, err := Run(context.Background(), []Problem{toy("a")}, bad, Options{Replicates: 3})
	if err != nil {
		t.Fatal(err)
	}
	rates, err := Rates(got)
	if err != nil {
		t.Fatal(err)
	}
	want := []Rate{{"a", "fails", 3, 0, 3}, {"a", "panics", 3, 0, 3}}
	if !slices.Equal(rates, want) || got[0].Results["panics"].Error != "panic: oh" {
		t.Errorf("%v, want %v; %v", rates, want, got[0])
	}
	broken := Problem{Name: "b", Draw: func(*rand.Rand) (x, y *mat.Dense) { panic("oh") }}
	if _, err := Run(context.Background(), []Problem{broken}, bad, Options{Replicates: 3}); err == nil {
		t.Error("a problem panicked and there is no error")
	}
	ok := []Problem{toy("a")}
	for _, c := range []struct {
		problems []Problem
		methods  []Method
		cfg      Options
	}{
		{ok, bad, Options{}}, {ok, bad, Options{Replicates: 1, First: -1}},
		{nil, bad, Options{Replicates: 1}}, {ok, nil, Options{Replicates: 1}},
		{[]Problem{toy("a"), toy("a")}, bad, Options{Replicates: 1}},
		{ok, []Method{{Name: "x"}}, Options{Replicates: 1}},
		{ok, bad, Options{Replicates: 1, Have: []Record{{Problem: "a", Settings: "s"}}}},
	} {
		if _, err := Run(context.Background(), c.problems, c.methods, c.cfg); err == nil {
			t.Errorf("%+v: no error", c)
		}
	}
}

func TestOutcomeJSON(t *testing.T) {
	for _, c := range []struct {
		o    Outcome
		text string
	}{
		{Outcome{P: math.NaN()}, `{}`},
		{Outcome{P: 1.0 / 3, Reject: true}, `{"p":0.333333,"reject":true}`},
		{Outcome{P: math.NaN(), Error: "no"}, `{"error":"no"}`},
		{Outcome{P: 0.5, Numbers: map[string]float64{"theta": math.Pi * 1e9, "m": 10}},
			`{"m":10,"p":0.5,"theta":3141590000}`},
		{Outcome{P: 0.5, Numbers: map[string]float64{"x": math.NaN(), "y": math.MaxFloat64}},
			`{"p":0.5,"y":1.79769e+308}`},
	} {
		text, err := json.Marshal(c.o)
		if err != nil || string(text) != c.text {
			t.Errorf("%+v: %s, want %s; error %v", c.o, text, c.text, err)
		}
		var back Outcome
		if err := json.Unmarshal(text, &back); err != nil || fmt.Sprint(back) != fmt.Sprint(c.o.tidy()) {
			t.Errorf("%s came back as %+v, want %+v; error %v", text, back, c.o.tidy(), err)
		}
	}
}
