package power

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
)

func mustRead(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A study that was killed while its file was being written ends as it would have, wherever that was,
// with any number of goroutines and with a method that was added later.
func TestResumesFromAnyByte(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "study.jsonl")
	problems := []Problem{toy("a"), toy("b \"quoted\" ü{")}
	methods := []Method{threshold("low", 0.2), threshold("high:x=1", 0.7)}
	cfg := Options{Seed: 1, Replicates: 2, Settings: "s", Parallel: 1}
	if _, err := RunFile(ctx, path, problems, methods[:1], cfg); err != nil {
		t.Fatal(err)
	}
	want, err := RunFile(ctx, path, problems, methods, cfg)
	if err != nil {
		t.Fatal(err)
	}
	text := mustRead(t, path)
	for cut := range len(text) + 1 {
		if err := os.WriteFile(path, []byte(text[:cut]), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(strings.NewReader(text[:cut])); err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		cfg.Parallel = 1 + cut%3
		got, err := RunFile(ctx, path, problems, methods, cfg)
		if err != nil || !sameRecords(got, want) {
			t.Fatalf("cut at %d: error %v, records %v", cut, err, got)
		}
		now, err := Read(strings.NewReader(mustRead(t, path)))
		if err != nil || !sameRecords(mustMerge(t, now...), want) {
			t.Fatalf("cut at %d: error %v, the file is %s", cut, err, mustRead(t, path))
		}
	}
}

// sameRecords compares records whose problems may be in another order.
func sameRecords(a, b []Record) bool {
	byKey := make(map[key]Record)
	for _, r := range a {
		byKey[r.key()] = r
	}
	for _, r := range b {
		if !reflect.DeepEqual(byKey[r.key()], r) {
			return false
		}
	}
	return len(a) == len(b)
}

// A record whose line feed was lost, by an editor say, is kept although nobody asks for it now.
func TestLastRecordWithoutLineFeedIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "study.jsonl")
	text := `{"problem":"z","seed":1,"replicate":7,"results":{"m":{"p":0.5}}}`
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := RunFile(context.Background(), path, []Problem{toy("a")},
		[]Method{threshold("low", 0.2)}, Options{Replicates: 1})
	if now := mustRead(t, path); err != nil || len(got) != 2 || !strings.HasPrefix(now, text+"\n") ||
		strings.Count(now, "\n") != 2 {
		t.Errorf("error %v, the file is %s", err, now)
	}
}

// Files are concatenated as they are, whole or cut off anywhere.
func TestConcatenatedAfterAnyByte(t *testing.T) {
	records, err := Run(context.Background(), []Problem{toy("a {\"problem\":\"")},
		[]Method{threshold("m", 0.5)}, Options{Replicates: 4})
	if err != nil {
		t.Fatal(err)
	}
	var a, b bytes.Buffer
	if err := errors.Join(Write(&a, records[:2]...), Write(&b, records[2:]...)); err != nil {
		t.Fatal(err)
	}
	ends := []int{bytes.IndexByte(a.Bytes(), '\n'), a.Len() - 1} // of the records
	for cut := range a.Len() + 1 {
		whole := 0
		for _, end := range ends {
			if cut >= end {
				whole++
			}
		}
		part := a.String()[:cut]
		texts := []string{part + b.String()}
		if cut >= len(start) { // two shorter beginnings in a row are not recognized
			texts = append(texts, part+part+b.String())
		}
		for _, text := range texts {
			got, err := Read(strings.NewReader(text))
			if err != nil || !sameRecords(mustMerge(t, got...), append(records[:whole:whole],
				records[2:]...)) {
				t.Fatalf("cut at %d: error %v, records %v of %s", cut, err, got, text)
			}
		}
	}
}

// A file that is no study is left alone, also where it has no line feed.
func TestForeignFileIsLeftAlone(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "precious")
	problems, methods := []Problem{toy("a")}, []Method{threshold("low", 0.2)}
	for _, text := range []string{"my only copy", `{"draws":[1,2,3]}`, "{", "\x00\x00",
		"my\nonly\ncopy\n", "{\"problem\":\"a\"}\n"} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := RunFile(ctx, path, problems, methods, Options{Replicates: 1})
		begun := text == "{" // as a record begins
		if (err == nil) != begun || !begun && mustRead(t, path) != text {
			t.Errorf("%q: error %v, the file is %q", text, err, mustRead(t, path))
		}
		if err != nil && (strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), path)) {
			t.Errorf("%q: error %v, want one line with the name of the file", text, err)
		}
	}
	// Neither is a file made for a study that cannot be.
	none := filepath.Join(t.TempDir(), "none")
	if _, err := RunFile(ctx, none, problems, methods, Options{}); err == nil {
		t.Error("no replicates and no error")
	}
	if _, err := os.Stat(none); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file was made: error %v", err)
	}
}

// Two studies that write to one file at the same time do no harm.
func TestTwoWriters(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "study.jsonl")
	problems := []Problem{toy("a"), toy("problem with a longer name")}
	methods := []Method{threshold("low", 0.2), threshold("high", 0.7)}
	var together, wg sync.WaitGroup
	together.Add(2)
	for w := range 2 {
		wg.Go(func() {
			var once sync.Once
			_, err := RunFile(ctx, path, problems, methods[w:], Options{Replicates: 50,
				OnRecord: func(Record) error {
					once.Do(func() { together.Done(); together.Wait() }) // both have begun
					return nil
				}})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	records, err := Read(strings.NewReader(mustRead(t, path)))
	if err != nil || len(records) < 150 { // of 200, were it not for those the other has read
		t.Fatalf("%d records, error %v", len(records), err)
	}
	want, err := Run(ctx, problems, methods, Options{Replicates: 50})
	if err != nil || !sameRecords(mustMerge(t, records...), want) {
		t.Errorf("the file is not what one study makes; error %v", err)
	}
}

// After a record could not be written nothing else is: it would follow half a line.
func TestNothingIsWrittenAfterAFailure(t *testing.T) {
	const parallel = 4
	var all sync.WaitGroup
	all.Add(parallel)
	meet := Method{Name: "meet", Test: func(context.Context, Data, uint64) (Outcome, error) {
		all.Done()
		all.Wait() // as many records are ready at the same time
		return Outcome{P: 1}, nil
	}}
	calls, full := 0, errors.New("disk full")
	_, err := Run(context.Background(), []Problem{toy("a")}, []Method{meet}, Options{
		Replicates: parallel, Parallel: parallel,
		OnRecord: func(Record) error { calls++; return full }})
	if !errors.Is(err, full) || calls != 1 {
		t.Errorf("%d calls, want 1; error %v", calls, err)
	}
}

// A number must not take the place of what else is in an outcome, or the file could not be read.
func TestReservedNumbers(t *testing.T) {
	for _, name := range []string{"p", "reject", "error"} {
		m := Method{Name: "m", Test: func(context.Context, Data, uint64) (Outcome, error) {
			return Outcome{P: math.NaN(), Numbers: map[string]float64{name: 0.5}}, nil
		}}
		path := filepath.Join(t.TempDir(), "study.jsonl")
		got, err := RunFile(context.Background(), path, []Problem{toy("a")}, []Method{m},
			Options{Replicates: 1})
		if err != nil || !strings.Contains(got[0].Results["m"].Error, name) {
			t.Errorf("%s: %v, error %v", name, got, err)
		}
		if back, err := Read(strings.NewReader(mustRead(t, path))); err != nil ||
			fmt.Sprint(back) != fmt.Sprint(got) {
			t.Errorf("%s: %v came back as %v, error %v", name, got, back, err)
		}
		rec := Record{Problem: "a", Results: map[string]Outcome{
			"m": {Numbers: map[string]float64{name: 1}}}}
		if err := Write(new(bytes.Buffer), rec); err == nil {
			t.Errorf("%s was written", name)
		}
	}
}

// FuzzRead: what is read without an error is read the same once it was written, and of the records of
// a file that was cut at any byte none is another.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"problem":"a","settings":"s","seed":1,"replicate":0,"results":{"m":{"p":0.25,`+
		`"reject":true,"theta":2},"n":{"error":"no"}}}`+"\n\n"), uint(40))
	f.Fuzz(func(t *testing.T, text []byte, cut uint) {
		records, err := Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := Write(&b, records...); err != nil {
			t.Fatal(err)
		}
		tidied, err := Read(bytes.NewReader(b.Bytes()))
		if err != nil || len(tidied) != len(records) {
			t.Fatalf("%q: %d records, then %d, error %v", text, len(records), len(tidied), err)
		}
		part, err := Read(bytes.NewReader(b.Bytes()[:cut%uint(b.Len()+1)]))
		if err != nil || len(part) > len(tidied) {
			t.Fatalf("%q: %d records of a part, error %v", text, len(part), err)
		}
		for i, r := range part {
			if fmt.Sprint(r) != fmt.Sprint(tidied[i]) { // NaN is no obstacle to this
				t.Errorf("record %d of a part is %v, want %v", i, r, tidied[i])
			}
		}
	})
}

// Streams of random numbers are named by seed, problem and replicate; none is that of another.
func TestStreamsDiffer(t *testing.T) {
	seen := make(map[uint64]string)
	for _, seed := range []uint64{0, 1, 2, math.MaxUint64} {
		h := &harness{Options: Options{Seed: seed}}
		for _, problem := range []string{"a", "ab", "test a", "data a", "a ", ""} {
			for _, replicate := range []int{0, 1, 2, 255, 256, math.MaxInt} {
				for _, purpose := range []string{"data", "test"} {
					name := fmt.Sprint(seed, " ", problem, "|", replicate, " ", purpose)
					v := h.stream(task{problem: Problem{Name: problem}, replicate: replicate},
						purpose).Uint64()
					if other, ok := seen[v]; ok {
						t.Errorf("%s and %s have the same random numbers", name, other)
					}
					seen[v] = name
				}
			}
		}
	}
}

// Replicates end where numbers do.
func TestLastReplicates(t *testing.T) {
	methods := []Method{threshold("low", 0.2)}
	for _, c := range []struct {
		first, replicates int
		ok                bool
	}{
		{math.MaxInt - 2, 2, true}, {math.MaxInt - 2, 3, false}, {math.MaxInt, 1, false},
		{1, math.MaxInt, false},
	} {
		got, err := Run(context.Background(), []Problem{toy("a")}, methods,
			Options{First: c.first, Replicates: c.replicates})
		if (err == nil) != c.ok || c.ok && len(got) != c.replicates {
			t.Errorf("%d from %d: %d records, error %v", c.replicates, c.first, len(got), err)
		}
	}
}

// Names that a file cannot keep would be made again and again.
func TestNamesThatFilesKeep(t *testing.T) {
	ctx, cfg := context.Background(), Options{Replicates: 1}
	if _, err := Run(ctx, []Problem{toy("a\xff")}, []Method{threshold("m", 1)}, cfg); err == nil {
		t.Error("a problem has a name that is not UTF-8 and there is no error")
	}
	if _, err := Run(ctx, []Problem{toy("a")}, []Method{threshold("m\xff", 1)}, cfg); err == nil {
		t.Error("a method has a name that is not UTF-8 and there is no error")
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		var name []rune
		for range 1 + r.IntN(5) {
			name = append(name, []rune("a\"\\\n\t|<&é漢\u2028\u0000 ")[r.IntN(13)])
		}
		path := filepath.Join(t.TempDir(), "study.jsonl")
		calls := 0
		for range 2 {
			c := Options{Replicates: 2, OnRecord: func(Record) error { calls++; return nil }}
			if _, err := RunFile(ctx, path, []Problem{toy(string(name))},
				[]Method{threshold(string(name), 1)}, c); err != nil {
				t.Fatalf("%q: %v", name, err)
			}
		}
		if calls != 2 {
			t.Errorf("%q: %d new records, want 2", name, calls)
		}
	}
}
