package face

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// These readers take from files and from the console what cmdstanpy and cmdstanr take, in their way.

// config reads comments as cmdstanpy does: "(Default)" is dropped, and a line with one = is a key and a value.
func config(lines []string) map[string]string {
	out := map[string]string{}
	for _, l := range lines {
		l = strings.TrimLeft(strings.ReplaceAll(l, "(Default)", ""), " #\t")
		if parts := strings.Split(l, "="); len(parts) == 2 {
			out[strings.TrimSpace(parts[0])] = strings.TrimSpace(parts[1])
		}
	}
	return out
}

// pythonFile is what cmdstanpy (to 1.1) reads of a file of draws, line by line in this order.
type pythonFile struct {
	config         map[string]string
	names          []string
	warmup, rows   [][]string
	step           float64
	metric         [][]float64
	divergent, hit int
}

// countDraws counts the rows of a file of draws as cmdstanpy after 1.3 does: by the comments between which they stand, of
// which the last must be followed by something.
func countDraws(t *testing.T, lines []string, fixed bool) (warmup, draws int) {
	t.Helper()
	at := [4]int{-1, -1, -1, -1} // header, adaptation, draws, times
	for i, l := range lines {
		comment := strings.HasPrefix(l, "#")
		switch {
		case at[0] < 0:
			if strings.HasPrefix(l, "lp__") {
				at[0] = i
			}
		case !fixed && at[1] < 0:
			if comment {
				at[1] = i
			}
		case at[2] < 0:
			if !comment {
				at[2] = i
			} else if strings.HasPrefix(l, "#  Elapsed") {
				at[2], at[3] = i, i
			}
		case at[3] < 0:
			if comment {
				at[3] = i
			}
		default:
			if fixed {
				return 0, at[3] - at[2]
			}
			return at[1] - at[0] - 1, at[3] - at[2]
		}
	}
	t.Fatalf("the blocks of a file of draws are not found: %v", at)
	return 0, 0
}

func readLines(t *testing.T, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

func numbersOf(t *testing.T, l string) []float64 {
	t.Helper()
	var out []float64
	for _, f := range strings.Split(strings.TrimLeft(l, " #\t"), ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(f), 64)
		if err != nil {
			t.Fatalf("%q holds no number", l)
		}
		out = append(out, v)
	}
	return out
}

func readPython(t *testing.T, path string, fixed bool) *pythonFile {
	t.Helper()
	lines := readLines(t, path)
	at := 0
	next := func() string {
		t.Helper()
		if at == len(lines) {
			t.Fatalf("%s ends early", path)
		}
		at++
		return strings.TrimSpace(lines[at-1])
	}
	f := &pythonFile{}
	for strings.HasPrefix(lines[at], "#") {
		at++
	}
	f.config = config(lines[:at])
	f.names = strings.Split(next(), ",")
	data := func() (rows [][]string) {
		for at < len(lines) && !strings.HasPrefix(lines[at], "#") {
			row := strings.Split(next(), ",")
			if len(row) != len(f.names) {
				t.Fatalf("%s:%d has %d values, want %d", path, at, len(row), len(f.names))
			}
			rows = append(rows, row)
		}
		return rows
	}
	if !fixed {
		f.warmup = data()
		if l := next(); l != "# Adaptation terminated" {
			t.Fatalf("%s:%d is %q, want the end of adaptation", path, at, l)
		}
		label, value, _ := strings.Cut(next(), "=")
		step, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if !strings.HasPrefix(label, "# Step size") || err != nil {
			t.Fatalf("%s:%d has no step size", path, at)
		}
		f.step = step
		title := map[string]string{"unit_e": "# No free parameters for unit metric", "diag_e": "# Diagonal elements of inverse mass matrix:",
			"dense_e": "# Elements of inverse mass matrix:"}[f.config["metric"]]
		if l := next(); l != title {
			t.Fatalf("%s:%d is %q, want %q", path, at, l, title)
		}
		if f.config["metric"] != "unit_e" {
			f.metric = append(f.metric, numbersOf(t, next()))
			for f.config["metric"] == "dense_e" && len(f.metric) < len(f.metric[0]) {
				f.metric = append(f.metric, numbersOf(t, next()))
			}
		}
	}
	f.rows = data()
	if !fixed {
		for _, row := range f.rows {
			n, err := strconv.Atoi(row[5])
			depth, err2 := strconv.Atoi(row[3])
			if err != nil || err2 != nil || f.names[5] != "divergent__" || f.names[3] != "treedepth__" {
				t.Fatalf("%s: divergent__ is %q and treedepth__ %q, want whole numbers", path, row[5], row[3])
			}
			f.divergent += n
			if strconv.Itoa(depth) == f.config["max_depth"] {
				f.hit++
			}
		}
	}
	// Later versions count rows between comments and want the lines on the time.
	if l := next(); l != "#" {
		t.Fatalf("%s:%d is %q, want a comment without text", path, at, l)
	}
	if l := lines[at]; !strings.HasPrefix(l, "#  Elapsed Time: ") {
		t.Fatalf("%s:%d is %q, want the time", path, at+1, l)
	}
	return f
}

// rFile is what cmdstanr reads of the comments and the header of any file.
type rFile struct {
	values           map[string]string
	diagnostics      []string
	variables        []string
	warm, draw, full float64
}

func readR(t *testing.T, path string) *rFile {
	t.Helper()
	f := &rFile{values: map[string]string{}}
	isLetter := regexp.MustCompile(`^[#a-zA-Z]`)
	inverse := false
	for _, l := range readLines(t, path) {
		if !isLetter.MatchString(l) {
			continue
		}
		seconds := func(word string) float64 {
			l = strings.NewReplacer("#", "", "Elapsed Time:", "", "seconds ("+word+")", "").Replace(l)
			v, err := strconv.ParseFloat(strings.TrimSpace(l), 64)
			if err != nil {
				t.Fatalf("%s: %q has no time", path, l)
			}
			return v
		}
		switch {
		case !strings.HasPrefix(l, "#"):
			if f.variables != nil {
				continue
			}
			for _, n := range strings.Split(l, ",") {
				if strings.HasSuffix(n, "__") && n != "lp__" {
					f.diagnostics = append(f.diagnostics, n)
				} else {
					f.variables = append(f.variables, n)
				}
			}
		case strings.Contains(l, "lements of inverse mass matrix:"):
			inverse = true
		case inverse:
			inverse = false
		case strings.Contains(l, "(Warm-up)"):
			f.warm = seconds("Warm-up")
		case strings.Contains(l, "(Sampling)"):
			f.draw = seconds("Sampling")
		case strings.Contains(l, "(Total)"):
			f.full = seconds("Total")
		default:
			for k, v := range config([]string{l}) {
				f.values[k] = v
			}
		}
	}
	return f
}

// consoleR follows the console as cmdstanr does, and returns the state that it ends in, 5 for a chain that ended
// well, and the seconds.
func consoleR(t *testing.T, out string) (state float64, warm, draw, full float64) {
	t.Helper()
	state = 1
	number := func(l string) float64 {
		fields := strings.Fields(strings.Replace(l, "Elapsed Time:", "", 1))
		v, err := strconv.ParseFloat(fields[0], 64)
		if err != nil {
			t.Fatalf("%q has no time", l)
		}
		return v
	}
	for _, l := range strings.Split(out, "\n") {
		if l == "" {
			if state == 1.5 {
				state = 3
			}
			continue
		}
		switch {
		case strings.Contains(l, "seconds (Total)"):
			full, state = number(l), 5
		case strings.Contains(l, "seconds (Sampling)"):
			draw, state = number(l), 5
		case strings.Contains(l, "seconds (Warm-up)"):
			warm, state = number(l), 5
		case strings.Contains(l, "[100%]"):
			state = 5
		case state < 3 && strings.Contains(l, "refresh ="):
			state = 1.5
		case state < 3 && strings.Contains(l, "Iteration:"):
			state = 3
		case state == 3 && strings.Contains(l, "(Sampling)"):
			state = 4
		}
	}
	return state, warm, draw, full
}

// barsPython follows the console as cmdstanpy does: the last iteration of each chain.
func barsPython(out string) map[string]string {
	pattern := regexp.MustCompile(`^(Chain \[(\d+)\] )?Iteration:\s+(\d+)`)
	last := map[string]string{}
	for _, l := range strings.Split(out, "\n") {
		if m := pattern.FindStringSubmatch(strings.TrimSpace(l)); m != nil {
			last[m[2]] = m[3]
		}
	}
	return last
}

// infoOf reads info as both do.
func infoOf(out string) map[string]string {
	m := map[string]string{}
	for _, l := range strings.Split(out, "\n") {
		if k, v, ok := strings.Cut(l, "="); ok {
			m[strings.ToUpper(strings.TrimSpace(k))] = strings.TrimSpace(v)
		}
	}
	m["STAN_VERSION"] = fmt.Sprintf("%s.%s.%s", m["STAN_VERSION_MAJOR"], m["STAN_VERSION_MINOR"], m["STAN_VERSION_PATCH"])
	return m
}
