package cmdstan

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"bayeskernel/draws"
	"bayeskernel/draws/internal/drawstest"
)

var testNames = []string{"mu", "theta[1]", "theta[2]", "R[1,1]", "R[1,2]", "R[2,1]", "R[2,2]",
	"x[0]", "x[1]", "log τ", "a, b = c"}

// variations of a run, each written and read.
var variations = []struct {
	name   string
	change func(*draws.Run)
}{
	{"diag", func(*draws.Run) {}},
	{"dense", drawstest.DenseMetric},
	{"low rank", drawstest.LowRankMetric},
	{"a kind that is not known", drawstest.OtherMetric},
	{"metric asked for", func(r *draws.Run) { r.Sampler.AskedMetric = "low_rank" }},
	{"unit", func(r *draws.Run) {
		r.Sampler.Metric = "unit_e"
		for c := range r.Chains {
			r.Chains[c].Metric = draws.Metric{Kind: "unit_e"}
		}
	}},
	{"no warm-up kept", func(r *draws.Run) {
		r.Sampler.SaveWarmup = false
		for c := range r.Chains {
			r.Chains[c].WarmupValues, r.Chains[c].WarmupStats = nil, nil
		}
	}},
	{"static", func(r *draws.Run) {
		r.Sampler.Algorithm, r.Sampler.MaxDepth, r.Sampler.PathLength = "hmc", 0, 1.5
	}},
	{"plain model", func(r *draws.Run) { r.Model = "plain_model" }},
	{"no model", func(r *draws.Run) { r.Model = "" }},
	{"model like the stand-in", func(r *draws.Run) { r.Model = "unnamed" }},
	{"not finite", func(r *draws.Run) {
		r.Chains[0].Values[3][2] = math.NaN()
		r.Chains[1].Values[4][0] = math.Inf(1)
		r.Chains[1].Values[5][10] = math.Inf(-1)
	}},
	{"no parameters", func(r *draws.Run) {
		r.Names = nil
		for c := range r.Chains {
			for i := range r.Chains[c].Values {
				r.Chains[c].Values[i] = []float64{}
			}
			for i := range r.Chains[c].WarmupValues {
				r.Chains[c].WarmupValues[i] = []float64{}
			}
		}
	}},
	{"windows", drawstest.ChooseMetrics},
	{"windows and low rank", func(r *draws.Run) {
		drawstest.LowRankMetric(r)
		drawstest.ChooseMetrics(r)
	}},
}

func TestCSVRoundTrip(t *testing.T) {
	for i, test := range variations {
		t.Run(test.name, func(t *testing.T) {
			run := drawstest.Run(testNames, 2, 12, 25, 1)
			test.change(run)
			dir, opts := t.TempDir(), Options{WordBooleans: i%2 == 0, Times: true}
			paths, err := Write(dir, "out", run, opts)
			if err != nil {
				t.Fatal(err)
			}
			if len(paths) != 2 || paths[1] != filepath.Join(dir, "out_2.csv") {
				t.Fatalf("paths %q", paths)
			}
			got, err := Read(paths...)
			if err != nil {
				t.Fatal(err)
			}
			drawstest.SameRun(t, got, run)
			for _, c := range got.Chains {
				if c.WarmupSeconds != 0.25 || c.SampleSeconds != 1e-7 {
					t.Errorf("seconds %v, %v", c.WarmupSeconds, c.SampleSeconds)
				}
			}
			// What was read is written again byte for byte.
			again, err := Write(t.TempDir(), "out", got, opts)
			if err != nil {
				t.Fatal(err)
			}
			for c := range again {
				if drawstest.FileBytes(t, again[c]) != drawstest.FileBytes(t, paths[c]) {
					t.Errorf("chain %d changed when it was read and written", c)
				}
			}
		})
	}
}

// Stan's readers see a metric of low rank as a diagonal one, with the diagonal of the whole.
func TestLowRankForReaders(t *testing.T) {
	run := drawstest.Run(testNames, 2, 12, 25, 1)
	drawstest.LowRankMetric(run)
	paths, err := Write(t.TempDir(), "out", run, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for c, path := range paths {
		text := drawstest.FileBytes(t, path)
		var diag []string
		for _, v := range run.Chains[c].Metric.Diag {
			diag = append(diag, strconv.FormatFloat(v, 'g', -1, 64))
		}
		for _, want := range []string{"metric = diag_e\n",
			"# Diagonal elements of inverse mass matrix:\n# " + strings.Join(diag, ", ") + "\n"} {
			if strings.Count(text, want) != 1 {
				t.Errorf("chain %d has %q %d times, want once", c+1, want, strings.Count(text, want))
			}
		}
	}
}

// CmdStan keeps the first of each thin transitions, during warm-up too: of n there are ceil(n/thin)
// rows. Numbers of rows that are not those planned get numbers of transitions that explain them.
func TestCSVThin(t *testing.T) {
	for _, test := range []struct{ warmup, draws, thin, warmRows, rows, wantWarmup, want int }{
		{12, 25, 3, 4, 9, 12, 25},
		{11, 25, 3, 4, 9, 11, 25},
		{12, 25, 3, 4, 8, 12, 24}, // a sampler that keeps the last of each three
		{11, 25, 3, 4, 5, 11, 15}, // stopped early
		{11, 25, 3, 2, 0, 6, 0},   // stopped during warm-up
		{10, 24, 2, 5, 12, 10, 24},
	} {
		run := drawstest.Run([]string{"a"}, 1, test.warmRows, test.rows, 1)
		run.Sampler.Warmup, run.Sampler.Draws, run.Sampler.Thin = test.warmup, test.draws, test.thin
		paths, err := Write(t.TempDir(), "out", run, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := Read(paths...)
		if err != nil {
			t.Fatal(err)
		}
		if got.Sampler.Draws != test.want || got.Sampler.Warmup != test.wantWarmup {
			t.Errorf("%+v: num_samples %d, num_warmup %d", test, got.Sampler.Draws, got.Sampler.Warmup)
		}
		drawstest.SameBits(t, "values", got.Chains[0].Values, run.Chains[0].Values)
		drawstest.SameBits(t, "warm-up", got.Chains[0].WarmupValues, run.Chains[0].WarmupValues)
		again, err := Write(t.TempDir(), "out", got, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if drawstest.FileBytes(t, again[0]) != drawstest.FileBytes(t, paths[0]) {
			t.Errorf("%+v: the file changed when it was read and written", test)
		}
	}
}

// stream sends the first rows of a chain to a new file, as a sampler does, and closes it.
func stream(t *testing.T, path string, r *draws.Run, warmup, kept int) error {
	t.Helper()
	part := *r
	ch := r.Chains[0]
	ch.WarmupValues, ch.WarmupStats = ch.WarmupValues[:warmup], ch.WarmupStats[:warmup]
	ch.Values, ch.Stats = ch.Values[:kept], ch.Stats[:kept]
	if warmup < len(r.Chains[0].WarmupValues) {
		ch.Metric = draws.Metric{}
	}
	c, err := New(path, &part, 0, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := ch.Replay(c); err != nil {
		t.Fatal(err)
	}
	return c.Close(1.5, 2.5)
}

// Wherever a run is interrupted, its file holds the true counts, and the file of the resumed run
// has the bytes of one that was never interrupted.
func TestCSVInterrupted(t *testing.T) {
	run := drawstest.Run(testNames, 1, 12, 25, 1)
	dir := t.TempDir()
	path := filepath.Join(dir, "out_1.csv")
	if err := stream(t, path, run, 12, 25); err != nil {
		t.Fatal(err)
	}
	whole := drawstest.FileBytes(t, path)
	for _, stop := range [][2]int{{0, 0}, {1, 0}, {11, 0}, {12, 0}, {12, 1}, {12, 24}} {
		if err := stream(t, path, run, stop[0], stop[1]); err != nil {
			t.Fatal(err)
		}
		got, err := Read(path)
		if err != nil {
			t.Fatalf("%v: %v", stop, err)
		}
		if got.Sampler.Warmup != stop[0] || got.Sampler.Draws != stop[1] {
			t.Errorf("%v: num_warmup = %d, num_samples = %d", stop, got.Sampler.Warmup,
				got.Sampler.Draws)
		}
		drawstest.SameBits(t, "warm-up", got.Chains[0].WarmupValues, run.Chains[0].WarmupValues[:stop[0]])
		drawstest.SameBits(t, "values", got.Chains[0].Values, run.Chains[0].Values[:stop[1]])
		if err := stream(t, path, run, 12, 25); err != nil {
			t.Fatal(err)
		}
		if drawstest.FileBytes(t, path) != whole {
			t.Errorf("%v: the resumed file differs", stop)
		}
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 1 {
		t.Errorf("%d files left, want 1", len(entries))
	}
}

// A run whose rows after warm-up were written without saving warm-up knows how long that was.
func TestCSVUnsavedWarmup(t *testing.T) {
	run := drawstest.Run([]string{"a"}, 1, 12, 5, 1)
	run.Sampler.SaveWarmup = false
	path := filepath.Join(t.TempDir(), "a.csv")
	for _, test := range []struct{ adapted, draws, warmup int }{{0, 0, 0}, {1, 0, 12}, {1, 3, 12}} {
		c, err := New(path, run, 0, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 4 { // rows that nobody asked to save
			if err := c.Draw(run.Chains[0].Values[i], draws.Stat{}, true); err != nil {
				t.Fatal(err)
			}
		}
		if test.adapted > 0 {
			if err := c.Adapted(0.5, run.Chains[0].Metric); err != nil {
				t.Fatal(err)
			}
		}
		for i := range test.draws {
			if err := c.Draw(run.Chains[0].Values[i], draws.Stat{}, false); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Close(0, 0); err != nil {
			t.Fatal(err)
		}
		got, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		if got.Sampler.Warmup != test.warmup || got.Sampler.Draws != test.draws {
			t.Errorf("%+v: num_warmup = %d, num_samples = %d", test, got.Sampler.Warmup,
				got.Sampler.Draws)
		}
	}
}

// While a chain runs its file grows by whole lines and can be read, and how often it is flushed
// does not change it.
func TestCSVReadableWhileRunning(t *testing.T) {
	run := drawstest.Run(testNames, 1, 12, 3*flushRows, 1)
	ch := run.Chains[0]
	path := filepath.Join(t.TempDir(), "a.csv")
	c, err := New(path, run, 0, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range ch.WarmupValues {
		if err := c.Draw(ch.WarmupValues[i], ch.WarmupStats[i], true); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Adapted(ch.StepSize, ch.Metric); err != nil {
		t.Fatal(err)
	}
	for i := range ch.Values {
		if i == 5 {
			c.since = c.since.Add(-2 * flushAfter) // as if a second had passed
		}
		if err := c.Draw(ch.Values[i], ch.Stats[i], false); err != nil {
			t.Fatal(err)
		}
		if i != 5 && i != 2*flushRows {
			continue
		}
		got, err := Read(path + ".part")
		if !errors.Is(err, ErrTruncated) {
			t.Fatalf("error %v, want ErrTruncated", err)
		}
		if n := len(got.Chains[0].Values); i == 5 && n != 6 || n <= i-flushRows || n > i+1 {
			t.Fatalf("%d draws can be read after %d were written", n, i+1)
		}
		drawstest.SameBits(t, "values", got.Chains[0].Values, ch.Values[:len(got.Chains[0].Values)])
		drawstest.SameBits(t, "warm-up", got.Chains[0].WarmupValues, ch.WarmupValues)
	}
	if !drawstest.Missing(path) {
		t.Fatal("the file has its name before it is finished")
	}
	if err := c.Close(1, 2); err != nil {
		t.Fatal(err)
	}
	if !drawstest.Missing(path + ".part") {
		t.Fatal("the partial file is still there")
	}
	other := filepath.Join(t.TempDir(), "a.csv")
	if err := stream(t, other, run, 12, len(ch.Values)); err != nil {
		t.Fatal(err)
	}
	if drawstest.FileBytes(t, path) != drawstest.FileBytes(t, other) {
		t.Fatal("flushing changed the file")
	}
	if err := c.Draw(ch.Values[0], ch.Stats[0], false); err == nil {
		t.Error("a closed file took a draw")
	}
	if err := c.Close(0, 0); err == nil {
		t.Error("a closed file was closed")
	}
}

func TestCSVRefuses(t *testing.T) {
	stat := draws.Stat{LP: -1}
	for _, test := range []struct {
		name, want string
		feed       func(c *Writer) error
	}{
		{"width", "3 values in a draw, expected 2", func(c *Writer) error {
			return c.Draw([]float64{1, 2, 3}, stat, true)
		}},
		{"nan lp", "lp__ of a draw is NaN", func(c *Writer) error {
			return c.Draw([]float64{1, 2}, draws.Stat{LP: math.NaN()}, true)
		}},
		{"inf lp", "lp__ of a draw is -Inf", func(c *Writer) error {
			return c.Draw([]float64{1, 2}, draws.Stat{LP: math.Inf(-1)}, true)
		}},
		{"order", "out of order", func(c *Writer) error { return c.Draw([]float64{1, 2}, stat, false) }},
		{"late warm-up", "out of order", func(c *Writer) error {
			_ = c.Adapted(1, draws.Metric{Kind: "diag_e", Diag: []float64{1, 1}})
			return c.Draw([]float64{1, 2}, stat, true)
		}},
		{"twice", "came twice", func(c *Writer) error {
			_ = c.Adapted(1, draws.Metric{Kind: "diag_e", Diag: []float64{1, 1}})
			return c.Adapted(1, draws.Metric{Kind: "diag_e", Diag: []float64{1, 1}})
		}},
		{"metric", `metric is "dense_e" after adaptation, expected "diag_e"`, func(c *Writer) error {
			return c.Adapted(1, draws.Metric{Kind: "dense_e"})
		}},
	} {
		path := filepath.Join(t.TempDir(), "100%d.csv")
		c, err := New(path, drawstest.Run([]string{"a", "b"}, 1, 4, 4, 1), 0, Options{})
		if err != nil {
			t.Fatal(err)
		}
		err = test.feed(c)
		if err == nil || !strings.Contains(err.Error(), test.want) ||
			!strings.HasPrefix(err.Error(), "cmdstan: "+path) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.want)
		}
		if again := c.Close(0, 0); again != err {
			t.Errorf("%s: Close says %v, want the first error", test.name, again)
		}
		if !drawstest.Missing(path) || drawstest.Missing(path+".part") {
			t.Errorf("%s: want a partial file and no other", test.name)
		}
	}
}

func TestCSVFullDisk(t *testing.T) {
	if drawstest.Missing("/dev/full") {
		t.Skip("no /dev/full on this system")
	}
	run := drawstest.Run([]string{"a"}, 1, 0, 10, 1)
	path := filepath.Join(t.TempDir(), "out_1.csv")
	for _, stage := range []string{"adapted", "draw", "close", "rewrite"} {
		c, err := New(path, run, 0, Options{})
		if err != nil {
			t.Fatal(err)
		}
		full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		fill := func(now string) {
			if stage == now {
				c.f.Close()
				c.f = full
			}
		}
		fill("adapted")
		err = c.Adapted(1, run.Chains[0].Metric)
		fill("draw")
		for i := 0; i < flushRows && err == nil; i++ {
			err = c.Draw([]float64{1}, draws.Stat{}, false)
		}
		fill("close")
		if stage == "rewrite" {
			if lerr := os.Mkdir(path+".final.part", 0o777); lerr != nil { // nothing can be made there
				t.Fatal(lerr)
			}
		}
		if cerr := c.Close(0, 0); err == nil {
			err = cerr
		}
		if err == nil || !strings.HasPrefix(err.Error(), "cmdstan: ") {
			t.Errorf("%s: error %v", stage, err)
		}
		if !drawstest.Missing(path) || drawstest.Missing(path+".part") {
			t.Errorf("%s: want a partial file and no other", stage)
		}
		full.Close()
	}
	if _, err := Read(path + ".part"); err == nil {
		t.Log("the partial file happens to be whole")
	}
}

func TestWriteCSVRefuses(t *testing.T) {
	good := func() *draws.Run { return drawstest.Run([]string{"a"}, 2, 0, 10, 1) }
	for name, change := range map[string]func(*draws.Run){
		"no chains": func(r *draws.Run) { r.Chains = nil },
		"short row": func(r *draws.Run) { r.Chains[1].Values[3] = nil },
		"no stats":  func(r *draws.Run) { r.Chains[1].Stats = nil },
		"name":      func(r *draws.Run) { r.Names[0] = "a__" },
		"nan lp":    func(r *draws.Run) { r.Chains[1].Stats[3].LP = math.NaN() },
	} {
		r, dir := good(), t.TempDir()
		change(r)
		_, err := Write(dir, "out", r, Options{})
		if err == nil || !strings.HasPrefix(err.Error(), "cmdstan: ") &&
			!strings.HasPrefix(err.Error(), "draws: ") { // what Run.Check finds
			t.Errorf("%s: error %v", name, err)
		}
		if !drawstest.Missing(filepath.Join(dir, "out_2.csv")) ||
			!drawstest.Missing(filepath.Join(dir, "out_2.csv.part")) {
			t.Errorf("%s: something was left behind", name)
		}
	}
	if _, err := Write(filepath.Join(t.TempDir(), "new", "folder"), "a", good(), Options{}); err != nil {
		t.Errorf("a missing folder was not made: %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(filepath.Join(file, "no"), "a", good(), Options{}); err == nil ||
		!strings.HasPrefix(err.Error(), "cmdstan: ") {
		t.Errorf("a folder inside a file: error %v", err)
	}
}
