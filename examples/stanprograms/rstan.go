package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

//go:embed rstan.R
var script string

// others runs one program in rstan, compiled once.
type others struct {
	program, dir, model string // the program as rstan reads it, a folder of data and draws, and the compiled model
}

// newOthers writes the data where the script finds them. Compiled models are kept in the folder cache, under the
// hash of their program, or in dir.
func newOthers(ctx context.Context, dir, program string, data []byte, convert, cache string) (*others, error) {
	dump, err := rdump(data)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "data.R"), []byte(dump), 0o600); err != nil {
		return nil, err
	}
	if convert != "" {
		words := strings.Fields(convert)
		other := filepath.Join(dir, "program.stan")
		c := exec.CommandContext(ctx, words[0], append(words[1:], program, other)...)
		if out, err := c.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %w: %s", convert, err, out)
		}
		program = other
	}
	text, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	if cache == "" {
		cache = dir
	}
	return &others{program, dir, filepath.Join(cache, fmt.Sprintf("%x", sha256.Sum256(text))[:16]+".rds")}, nil
}

// sample runs four chains.
func (o *others) sample(ctx context.Context, seed int) (side, error) {
	c := exec.CommandContext(ctx, "Rscript", "-e", script, o.program, o.dir, o.model, strconv.Itoa(seed))
	if out, err := c.CombinedOutput(); err != nil {
		return side{}, fmt.Errorf("rstan: %w: %s", err, out[max(0, len(out)-2000):])
	}
	names, err := os.ReadFile(filepath.Join(o.dir, "names.txt"))
	if err != nil {
		return side{}, err
	}
	return readRun(filepath.Join(o.dir, "run.bin"), strings.Fields(string(names)))
}

// readRun reads what the script wrote of a run: times of warm-up and drawing, iterations, chains, columns, and the
// draws, iterations fastest.
func readRun(file string, names []string) (side, error) {
	f, err := os.Open(file)
	if err != nil {
		return side{}, err
	}
	defer f.Close()
	r := bufio.NewReader(f)
	var head struct {
		Warm, Draw                  float64
		Iterations, Chains, Columns int32
	}
	if err := binary.Read(r, binary.LittleEndian, &head); err != nil {
		return side{}, err
	}
	if int(head.Columns) != len(names) {
		return side{}, fmt.Errorf("rstan: %d names of %d columns", len(names), head.Columns)
	}
	columns := make([][][]float64, head.Columns)
	for k := range columns {
		columns[k] = make([][]float64, head.Chains)
		for c := range columns[k] {
			columns[k][c] = make([]float64, head.Iterations)
			if err := binary.Read(r, binary.LittleEndian, columns[k][c]); err != nil {
				return side{}, err
			}
		}
		names[k] = strings.NewReplacer("[", ".", ",", ".", "]", "").Replace(names[k]) // x[1,2] is x.1.2
	}
	return worth(side{Warm: head.Warm, Draw: head.Draw}, names, columns), nil
}

// rdump writes data as R assigns them.
func rdump(data []byte) (string, error) {
	var values map[string]any
	if err := json.Unmarshal(data, &values); err != nil {
		return "", err
	}
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	sort.Strings(names)
	var b strings.Builder
	for _, name := range names {
		dims := []int{}
		for v, ok := values[name].([]any); ok; v, ok = v[0].([]any) {
			dims = append(dims, len(v))
			if len(v) == 0 {
				break
			}
		}
		fmt.Fprintf(&b, "`%s` <- array(as.numeric(c(", name)
		first := true
		size := 1
		for _, d := range dims {
			size *= d
		}
		at := make([]int, len(dims))
		for range size { // the first index runs fastest
			v := values[name]
			for _, i := range at {
				list, ok := v.([]any)
				if !ok || i >= len(list) {
					return "", fmt.Errorf("%s is not a full array", name)
				}
				v = list[i]
			}
			x, ok := v.(float64)
			if !ok {
				return "", fmt.Errorf("%s has %v, want numbers", name, v)
			}
			if !first {
				b.WriteByte(',')
			}
			first = false
			fmt.Fprintf(&b, "%.17g", x)
			for k := range at {
				if at[k]++; at[k] < dims[k] {
					break
				}
				at[k] = 0
			}
		}
		if len(dims) == 0 {
			b.WriteString(")))[1]\n")
			continue
		}
		b.WriteString(")), dim = c(")
		for k, d := range dims {
			if k > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "%d", d)
		}
		b.WriteString("))\n")
	}
	return b.String(), nil
}
