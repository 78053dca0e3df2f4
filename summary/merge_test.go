package summary

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"bayeskernel/bke/inputs"

	"gonum.org/v1/gonum/mat"
)

// smallPlan is quick to use.
func smallPlan(t testing.TB, x []float64, dim int) *Plan {
	t.Helper()
	m := 6
	points := mat.NewDense(m, dim, nil)
	for l := range m {
		for a := range dim {
			points.Set(l, a, x[(37*l+a)*dim+a])
		}
	}
	return planFor(t, x, dim, PlanOptions{Inputs: inputs.Options{Points: points},
		Thetas: []float64{0.5}, Bins: 8, Keep: 200})
}

func encoded(t testing.TB, s *Summary) []byte {
	t.Helper()
	b, err := s.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The bytes are the same for 1, 2, 7 and 64 workers that take chunks in any order and are merged in any
// order, in one go or by way of files.
func TestSameBytes(t *testing.T) {
	x := mixture(4, 40000, 1)
	p := smallPlan(t, x, 1)
	const chunk = 311
	count := (len(x) + chunk - 1) / chunk
	want := encoded(t, summarise(t, p, "P", x, chunk))
	r := rand.New(rand.NewPCG(5, 6))
	for _, workers := range []int{1, 2, 7, 64} {
		parts := make([]*Summary, workers)
		for i := range parts {
			parts[i], _ = New(p)
		}
		order := r.Perm(count)
		var wg sync.WaitGroup
		next := make(chan int)
		for _, s := range parts {
			wg.Go(func() {
				for k := range next {
					addChunks(t, s, "P", x[k*chunk:min((k+1)*chunk, len(x))], chunk)
				}
			})
		}
		for _, k := range order {
			next <- k
		}
		close(next)
		wg.Wait()
		for len(parts) > 1 { // a random tree
			i := r.IntN(len(parts))
			a := parts[i]
			parts = append(parts[:i], parts[i+1:]...)
			j := r.IntN(len(parts))
			if r.IntN(8) == 0 {
				var err error
				if a, err = Parse(encoded(t, a)); err != nil {
					t.Fatal(err)
				}
			}
			if err := parts[j].Merge(a); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(encoded(t, parts[0]), want) {
			t.Errorf("%d workers: other bytes", workers)
		}
	}
}

// What is merged and taken out again leaves the bytes as they were.
func TestRemove(t *testing.T) {
	x, y := mixture(4, 5000, 2), mixture(5, 1000, 2)
	p := smallPlan(t, x, 2)
	s := summarise(t, p, "P", x, 1000)
	before := encoded(t, s)
	more := summarise(t, p, "Q", y, 300)
	addChunks(t, more, "P", y, 500)
	if err := s.Merge(more); err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(encoded(t, s), before) {
		t.Fatal("merging changed nothing")
	}
	if err := s.Remove(more); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(encoded(t, s), before) {
		t.Error("taking out what was merged leaves other bytes")
	}
	if err := s.Remove(more); err == nil || !strings.Contains(err.Error(), "taken out") {
		t.Errorf("taken out twice: %v", err)
	}
}

// Counts, ranges and moments are those of the rows.
func TestCounts(t *testing.T) {
	x := mixture(6, 3000, 2)
	p := smallPlan(t, x, 2)
	s, _ := New(p)
	c, err := s.Chunk("P", true)
	if err != nil {
		t.Fatal(err)
	}
	gap := append(append([]float64{}, x[:10]...), math.NaN(), 1)
	if err := c.Add(append(gap, x[10:]...)); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if n, skipped := s.Rows("P"); n != 3000 || skipped != 1 {
		t.Errorf("%d rows, %d left out", n, skipped)
	}
	mean, sd, err := s.Moments()
	if err != nil {
		t.Fatal(err)
	}
	for a := range 2 {
		col := mat.Col(nil, a, dense(x, 2))
		wantMean, wantSD := meanSD(col)
		if math.Abs(mean[a]-wantMean) > 1e-13 || math.Abs(sd[a]-wantSD) > 1e-13 {
			t.Errorf("mean %v and sd %v, want %v and %v", mean[a], sd[a], wantMean, wantSD)
		}
	}
}

func meanSD(v []float64) (mean, sd float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		sd += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(sd / float64(len(v)-1))
}

// What must not be merged, read or summarised is refused in one sentence that says why.
func TestRefuse(t *testing.T) {
	x := mixture(7, 2000, 1)
	p := smallPlan(t, x, 1)
	s := summarise(t, p, "P", x, 500)
	good := encoded(t, s)
	q := *p
	q.Seed = 99
	other := summarise(t, &q, "P", x, 500)
	foreign, _ := Parse(good)
	foreign.arch = "pdp11"
	damaged := bytes.Clone(good)
	damaged[len(damaged)/2] ^= 1
	again := func() *Summary { c, _ := Parse(good); return c }
	for want, err := range map[string]error{
		"of the plans":                 again().Merge(other),
		"want one architecture":        again().Merge(foreign),
		"is there twice":               again().Merge(s),
		"checksum is wrong":            parseError(damaged),
		"is not a summary":             parseError([]byte("x,y\n1,2\n")),
		"of version":                   parseError([]byte("BKESUM7\n...")),
		"no rows of sample \"Q\"":      s.Complete("P", "Q"),
		"want a finite number":         addError(p, []float64{1, math.Inf(1)}),
		"out of the range of 128 bits": addError(p, []float64{1, 1e18}),
		"which this machine has not":   pathError(p),
	} {
		if err == nil {
			t.Errorf("no error, want one with %q", want)
			continue
		}
		if text := err.Error(); !strings.Contains(text, want) || strings.Contains(text, "\n") ||
			!strings.HasPrefix(text, "summary: ") {
			t.Errorf("error %q, want %q in it", text, want)
		}
	}
	for cut := 0; cut < len(good); cut += 1 + len(good)/97 {
		if parseError(good[:cut]) == nil {
			t.Errorf("a file cut to %d bytes was read", cut)
		}
	}
	c := again()
	c.AllowEqual = true
	if err := c.Merge(s); err != nil {
		t.Fatal(err)
	}
	if n, _ := c.Rows("P"); n != 4000 {
		t.Errorf("%d rows with equal chunks allowed", n)
	}
}

func parseError(b []byte) error { _, err := Parse(b); return err }

func addError(p *Plan, rows []float64) error {
	s, err := New(p)
	if err != nil {
		return err
	}
	c, err := s.Chunk("P", false)
	if err != nil {
		return err
	}
	if err := c.Add(rows); err != nil {
		return err
	}
	return c.Close()
}

func pathError(p *Plan) error {
	q := *p
	q.Path = "quantum"
	return addError(&q, []float64{1})
}

// FuzzParse reads any bytes without a panic, and what it reads it writes as it was.
func FuzzParse(f *testing.F) {
	x := mixture(8, 400, 1)
	p := smallPlan(f, x, 1)
	f.Add(encoded(f, summarise(f, p, "P", x, 100)))
	empty, _ := New(p)
	f.Add(encoded(f, empty))
	f.Add([]byte(magic))
	f.Add([]byte("BKESUM2\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, in := range [][]byte{b, sealed(b)} {
			s, err := Parse(in)
			if err != nil {
				continue
			}
			again, err := s.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			twice, err := Parse(again)
			if err != nil {
				t.Fatalf("what was written cannot be read: %v", err)
			}
			last, err := twice.Bytes()
			if err != nil || !bytes.Equal(last, again) {
				t.Fatalf("other bytes the second time (%v)", err)
			}
		}
	})
}
