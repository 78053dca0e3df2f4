package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// stan compiles programs once and times them.
type stan struct{ ref, corpus, keep string }

func newStan(ref, corpus, keep string) (*stan, error) {
	for _, p := range []*string{&ref, &keep} {
		abs, err := filepath.Abs(*p)
		if err != nil {
			return nil, err
		}
		*p = abs
	}
	return &stan{ref, corpus, keep}, os.MkdirAll(keep, 0o755)
}

// build compiles a program and returns the folder of its executable, in which data.R has the data.
func (s *stan) build(name, program, data string) (string, error) {
	dir := filepath.Join(s.keep, name)
	if _, err := os.Stat(filepath.Join(dir, "main")); err == nil {
		return dir, nil
	}
	cmd := exec.Command("bash", s.ref, "-t", "0.01", "-k", dir, program, data)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("compiling %s: %w\n%s", name, err, stderr.String())
	}
	return dir, nil
}

// time runs an executable on data, at given points or, without, at some of its own.
func (s *stan) time(dir, data, points string) (float64, error) {
	out, err := exec.Command(filepath.Join(dir, "main"), data, points, "0.2").Output()
	if err != nil {
		return 0, err
	}
	var r struct {
		Seconds *float64 `json:"cpu_seconds_per_gradient"`
	}
	if err := json.Unmarshal(out, &r); err != nil {
		return 0, err
	}
	if r.Seconds == nil {
		return 0, fmt.Errorf("no time in what Stan's program printed: %.300s", out)
	}
	return *r.Seconds, nil
}

// attach gives tasks their time in Stan.
func (s *stan) attach(tasks []task) {
	for k := range tasks {
		t := &tasks[k]
		if t.rows == 0 {
			t.stan = s.model(t.name)
		} else {
			t.stan = s.family(t.name)
		}
	}
}

// model times a model whose program and data are here or in the corpus.
func (s *stan) model(name string) func() (float64, error) {
	dir := ""
	return func() (float64, error) {
		if dir == "" {
			program, data, err := s.files(name)
			if err != nil {
				return 0, err
			}
			if dir, err = s.build(name, program, data); err != nil {
				return 0, err
			}
		}
		return s.time(dir, filepath.Join(dir, "data.R"), "-")
	}
}

// files returns the program and the data of a model.
func (s *stan) files(name string) (program, data string, err error) {
	if own, ok := ownPrograms[name]; ok {
		program = filepath.Join(s.keep, name+".stan")
		data = filepath.Join(s.keep, name+".json")
		values, err := json.Marshal(own.data())
		if err != nil {
			return "", "", err
		}
		if err := os.WriteFile(program, []byte(own.program), 0o644); err != nil {
			return "", "", err
		}
		return program, data, os.WriteFile(data, values, 0o644)
	}
	found, err := filepath.Glob(filepath.Join(s.corpus, "data", dataOf[name]+".json*"))
	if err != nil || len(found) == 0 {
		return "", "", fmt.Errorf("no data of %s in %s", name, s.corpus)
	}
	return filepath.Join(s.corpus, "programs", name+".stan"), found[0], nil
}

// family times one family and variant of the one program that has them all.
func (s *stan) family(name string) func() (float64, error) {
	return func() (float64, error) {
		program, data := filepath.Join(s.keep, "families.stan"), filepath.Join(s.keep, "families.json")
		if _, err := os.Stat(data); err != nil {
			values, err := json.Marshal(newSample(rows))
			if err != nil {
				return 0, err
			}
			if err := os.WriteFile(data, values, 0o644); err != nil {
				return 0, err
			}
			if err := os.WriteFile(program, []byte(familiesProgram()), 0o644); err != nil {
				return 0, err
			}
		}
		dir, err := s.build("families", program, data)
		if err != nil {
			return 0, err
		}
		which, variant := placeOf(name)
		all, err := os.ReadFile(filepath.Join(dir, "data.R"))
		if err != nil {
			return 0, err
		}
		text := strings.Replace(string(all), "which <- 0", fmt.Sprintf("which <- %d", which), 1)
		text = strings.Replace(text, "variant <- 0", fmt.Sprintf("variant <- %d", variant), 1)
		at, points := filepath.Join(dir, "this.R"), filepath.Join(dir, "points.txt")
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			return 0, err
		}
		if err := os.WriteFile(points, []byte(familyPoint()), 0o644); err != nil {
			return 0, err
		}
		return s.time(dir, at, points)
	}
}
