package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
)

// key says which run a record is of.
type key struct {
	Model  string `json:"model"`
	Seed   uint64 `json:"seed"`
	Metric string `json:"metric"`
	Chains int    `json:"chains"`
	Warmup int    `json:"warmup"`
	Draws  int    `json:"draws"`
	Stan   bool   `json:"stan,omitempty"` // warm-up as Stan does it

	Declared bool `json:"declared,omitempty"` // with package model, not by hand
	Fixed    bool `json:"fixed,omitempty"`    // a warm-up of fixed length
}

// record is what one run gave: a line of the file.
type record struct {
	key
	Gradients       int64   `json:"gradients"` // all evaluations of all chains
	WarmupGradients int64   `json:"warmup_gradients"`
	ESSBulk         number  `json:"ess_bulk"` // the smallest, and of which parameter
	ESSBulkOf       string  `json:"ess_bulk_of"`
	ESSTail         number  `json:"ess_tail"`
	RHat            number  `json:"rhat"` // the largest
	RHatOf          string  `json:"rhat_of"`
	Divergences     int     `json:"divergences"` // after warm-up
	DepthCaps       int     `json:"depth_caps"`  // transitions after warm-up cut short
	Z               number  `json:"z"`           // largest error of a mean, in standard errors
	ZOf             string  `json:"z_of"`
	Seconds         float64 `json:"seconds"`
	Error           string  `json:"error,omitempty"`
}

// The gates.
const (
	maxRHat = 1.01
	minESS  = 400
	maxZ    = 5
)

func (r record) passed() bool {
	return r.Error == "" && r.RHat <= maxRHat && r.ESSBulk >= minESS && r.ESSTail >= minESS &&
		r.Divergences == 0 && r.Z <= maxZ
}

// efficiency is the smallest bulk effective sample size per 1000 gradients, 0 if undefined.
func (r record) efficiency() float64 {
	e := 1000 * float64(r.ESSBulk) / float64(r.Gradients)
	if math.IsNaN(e) {
		return 0
	}
	return e
}

// undefined sets everything that a run without draws does not have.
func (r *record) undefined() {
	nan := number(math.NaN())
	r.ESSBulk, r.ESSTail, r.RHat, r.Z = nan, nan, nan, nan
}

// anyNaN reports whether something is undefined, which no other parameter can make worse.
func (r *record) anyNaN() bool {
	return math.IsNaN(float64(r.ESSBulk + r.ESSTail + r.RHat + r.Z))
}

// String returns one line.
func (r record) String() string {
	verdict := "fails"
	if r.passed() {
		verdict = "passes"
	}
	if r.Error != "" {
		verdict = "fails (" + r.Error + ")"
	}
	return fmt.Sprintf("%s, seed %d: %s; %.2f per 1000 gradients, %d gradients, R-hat %.3f, "+
		"ESS %.0f and %.0f, %d divergences, error %.1f, %.1f s", r.Model, r.Seed, verdict,
		r.efficiency(), r.Gradients, r.RHat, r.ESSBulk, r.ESSTail, r.Divergences, r.Z, r.Seconds)
}

// number is a float64 that is null in JSON where it is not finite, and NaN when read back.
type number float64

// MarshalJSON implements json.Marshaler.
func (n number) MarshalJSON() ([]byte, error) {
	if v := float64(n); math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(b []byte) error {
	if bytes.Equal(b, []byte("null")) {
		*n = number(math.NaN())
		return nil
	}
	return json.Unmarshal(b, (*float64)(n))
}

// readRecords returns the runs in the file, none if there is no file. A last line without an end,
// as an interrupted program leaves it, is cut off.
func readRecords(file string) ([]record, error) {
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("scoreboard: %w", err)
	}
	if end := bytes.LastIndexByte(b, '\n') + 1; end < len(b) {
		if err := os.Truncate(file, int64(end)); err != nil {
			return nil, fmt.Errorf("scoreboard: %w", err)
		}
		b = b[:end]
	}
	var all []record
	for i, line := range bytes.Split(bytes.TrimSpace(b), []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		var r record
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("scoreboard: %s: line %d: %w", file, i+1, err)
		}
		all = append(all, r)
	}
	return all, nil
}

func appendRecord(file string, r record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("scoreboard: %w", err)
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("scoreboard: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("scoreboard: %w", err)
	}
	return nil
}

// find returns the record of a run, nil if there is none.
func find(records []record, k key) *record {
	for i := range records {
		if records[i].key == k {
			return &records[i]
		}
	}
	return nil
}
