package cmdstan

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"bayeskernel/draws"
)

// settings are the lines "# key = value" of a CmdStan file.
type settings map[string]setting

type setting struct {
	value string
	line  int
}

// add takes a line without its "# "; lines without "=" are only headings.
func (s settings) add(text string, line int) {
	key, value, ok := strings.Cut(strings.TrimSpace(strings.TrimSuffix(text, "(Default)")), "=")
	if !ok {
		return
	}
	key = strings.TrimSpace(key)
	// The spellings of rstan.
	switch key {
	case "chain_id":
		key = "id"
	case "warmup":
		key = "num_warmup"
	case "max_treedepth":
		key = "max_depth"
	case "model_name":
		key = "model"
	}
	key = strings.TrimPrefix(key, "adapt_")
	if _, ok := s[key]; !ok {
		s[key] = setting{strings.TrimSpace(value), line}
	}
}

// names returns the recorded names of the run.
func (s settings) names() ([]string, bool) {
	text, ok := s[ownPrefix+"names"]
	if !ok {
		return nil, false
	}
	names := strings.Split(text.value, ",")
	for i, n := range names {
		var err error
		if names[i], err = unescape(n); err != nil {
			return nil, false
		}
	}
	return names, true
}

// fill sets the settings of the run. Its error begins with the line number.
func (s settings) fill(r *draws.Run) error {
	sm := &r.Sampler
	f := filler{s: s}
	sm.Algorithm = s["engine"].value
	if sm.Algorithm == "static" {
		sm.Algorithm = "hmc"
	} else {
		sm.Algorithm = "nuts"
		f.integer("max_depth", &sm.MaxDepth)
	}
	f.integer("num_samples", &sm.Draws)
	f.integer("num_warmup", &sm.Warmup)
	f.integer("thin", &sm.Thin)
	f.integer("init_buffer", &sm.InitBuffer)
	f.integer("term_buffer", &sm.TermBuffer)
	f.integer("window", &sm.Window)
	f.float("delta", &sm.TargetAccept)
	f.float("gamma", &sm.Gamma)
	f.float("kappa", &sm.Kappa)
	f.float("t0", &sm.T0)
	f.float("int_time", &sm.PathLength)
	f.float("stepsize_jitter", &sm.Jitter)
	f.truth("save_warmup", &sm.SaveWarmup)
	f.seed(&r.Seed)
	f.iterations(sm)
	sm.Thin = max(sm.Thin, 1)
	sm.Metric = s["metric"].value
	// rstan puts the metric behind the algorithm: sampler_t = NUTS(diag_e).
	if _, m, ok := strings.Cut(s["sampler_t"].value, "("); ok && sm.Metric == "" {
		sm.Metric = strings.TrimSuffix(m, ")")
	}
	// The initial point may also be a file or a word; then there is no radius.
	if v, err := strconv.ParseFloat(s["init"].value, 64); err == nil {
		sm.InitRadius = v
	}
	r.Model = s["model"].value
	f.text("model", &r.Model)
	f.text("estimator", &sm.Estimator)
	f.text("source", &sm.Source)
	f.text("kernel", &sm.Path) // its name until 2026
	f.text("path", &sm.Path)
	f.text("asked_metric", &sm.AskedMetric)
	return f.err
}

// filler parses settings until the first error. Settings that are not there stay as they are.
type filler struct {
	s   settings
	err error
}

func (f *filler) fail(key, want string) {
	if f.err == nil {
		f.err = fmt.Errorf("%d: %s is %q, expected %s", f.s[key].line, key, f.s[key].value, want)
	}
}

// maxCount bounds the counts that a header may announce, so that sums of them cannot overflow, also
// where an int has 32 bits.
const maxCount = min(1<<40, math.MaxInt/8)

func (f *filler) integer(key string, dst *int) {
	text, ok := f.s[key]
	if !ok {
		return
	}
	v, err := strconv.Atoi(text.value)
	if err != nil || v < 0 || v > maxCount {
		f.fail(key, "a whole number")
		return
	}
	*dst = v
}

func (f *filler) float(key string, dst *float64) {
	text, ok := f.s[key]
	if !ok {
		return
	}
	v, err := parseFloat(text.value)
	if err != nil {
		f.fail(key, "a number")
		return
	}
	*dst = v
}

func (f *filler) truth(key string, dst *bool) {
	switch f.s[key].value {
	case "1", "true":
		*dst = true
	case "", "0", "false":
	default:
		f.fail(key, "true, false, 1 or 0")
	}
}

// text reads one of this package's own settings.
func (f *filler) text(key string, dst *string) {
	key = ownPrefix + key
	text, ok := f.s[key]
	if !ok {
		return
	}
	v, err := unescape(text.value)
	if err != nil {
		f.fail(key, "percent-encoded text")
		return
	}
	*dst = v
}

// seed reads an invalid value as no seed: other programs write -1 or a word for a random one.
func (f *filler) seed(dst *uint64) {
	if v, err := strconv.ParseUint(f.s["seed"].value, 10, 64); err == nil {
		*dst = v
	}
}

// iterations reads rstan's count, which includes warm-up.
func (f *filler) iterations(s *draws.Sampler) {
	if _, ok := f.s["num_samples"]; ok {
		return
	}
	var all int
	f.integer("iter", &all)
	s.Draws = max(all-s.Warmup, 0)
	if all > 0 {
		f.s["num_samples"] = setting{value: strconv.Itoa(s.Draws)}
	}
}
