package main

import (
	"context"
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

// rstan samples with each seed in one process, which compiles once.
func rstan(ctx context.Context, program string, data []byte, seeds int, convert string) ([]side, error) {
	dir, err := os.MkdirTemp("", "stanprograms")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
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
	c := exec.CommandContext(ctx, "Rscript", "-e", script, program, dir, strconv.Itoa(seeds))
	if out, err := c.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("rstan: %w: %s", err, out[max(0, len(out)-2000):])
	}
	sides := make([]side, seeds)
	for s := range sides {
		if sides[s], err = readRun(filepath.Join(dir, fmt.Sprintf("run%d.bin", s+1))); err != nil {
			return nil, err
		}
	}
	return sides, nil
}

// readRun reads what the script wrote of a run: times of warm-up and drawing, iterations, chains, columns, and the
// draws, iterations fastest.
func readRun(file string) (side, error) {
	f, err := os.Open(file)
	if err != nil {
		return side{}, err
	}
	defer f.Close()
	var head struct {
		Warm, Draw                  float64
		Iterations, Chains, Columns int32
	}
	if err := binary.Read(f, binary.LittleEndian, &head); err != nil {
		return side{}, err
	}
	columns := make([][][]float64, head.Columns)
	for k := range columns {
		columns[k] = make([][]float64, head.Chains)
		for c := range columns[k] {
			columns[k][c] = make([]float64, head.Iterations)
			if err := binary.Read(f, binary.LittleEndian, columns[k][c]); err != nil {
				return side{}, err
			}
		}
	}
	return worth(side{Warm: head.Warm, Draw: head.Draw}, columns), nil
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
