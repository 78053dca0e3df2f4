package draws

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"

	"bayeskernel/internal/atomicfile"
	"bayeskernel/internal/jsonfloat"
)

// SchemaVersion is the version of the JSON summary. It increases when a key changes its meaning or
// is removed, not when one is added.
const SchemaVersion = 1

// WriteSummary writes s to path as JSON. NaN and the infinities, which JSON cannot represent,
// become null. The file appears whole or not at all.
func WriteSummary(path string, s *Summary) error {
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("draws: %w", err)
	}
	err = atomicfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(append(b, '\n'))
		return err
	})
	if err != nil {
		return fmt.Errorf("draws: %w", err)
	}
	return nil
}

// ReadSummary reads what WriteSummary wrote. Numbers that are null or not there become NaN.
func ReadSummary(path string) (*Summary, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("draws: %w", err)
	}
	s := new(Summary)
	if err := json.Unmarshal(b, s); err != nil {
		return nil, fmt.Errorf("draws: %s: %w", path, err)
	}
	if s.SchemaVersion < 1 || s.SchemaVersion > SchemaVersion {
		return nil, fmt.Errorf("draws: %s: schema_version is %d, expected 1 to %d", path,
			s.SchemaVersion, SchemaVersion)
	}
	return s, nil
}

type number = jsonfloat.Number

// member is a key of a JSON object and a pointer to its value.
type member struct {
	key   string
	value any
}

func marshal(members []member) ([]byte, error) {
	out := make([]jsonfloat.Member, len(members))
	for i, m := range members {
		out[i] = jsonfloat.Member{Key: m.key, Value: m.value}
	}
	return jsonfloat.Object(out)
}

// unmarshal reads what marshal wrote. Numbers that are null or not there become NaN.
func unmarshal(b []byte, members []member) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(b, &object); err != nil {
		return err
	}
	for _, m := range members {
		text, ok := object[m.key]
		if x, isNumber := m.value.(*number); isNumber && !ok {
			*x = number(math.NaN())
		}
		if !ok {
			continue
		}
		if err := json.Unmarshal(text, m.value); err != nil {
			return fmt.Errorf("%s is %.40s: %w", m.key, text, err)
		}
	}
	return nil
}

func (s *Sampler) members() []member {
	return []member{
		{"algorithm", &s.Algorithm}, {"chains", &s.Chains}, {"warmup", &s.Warmup},
		{"draws", &s.Draws}, {"thin", &s.Thin}, {"save_warmup", &s.SaveWarmup},
		{"target_accept", (*number)(&s.TargetAccept)}, {"max_depth", &s.MaxDepth},
		{"path_length", (*number)(&s.PathLength)}, {"max_steps", &s.MaxSteps},
		{"jitter", (*number)(&s.Jitter)}, {"metric", &s.Metric}, {"estimator", &s.Estimator},
		{"init_buffer", &s.InitBuffer}, {"window", &s.Window}, {"term_buffer", &s.TermBuffer},
		{"gamma", (*number)(&s.Gamma)}, {"kappa", (*number)(&s.Kappa)}, {"t0", (*number)(&s.T0)},
		{"init_radius", (*number)(&s.InitRadius)}, {"source", &s.Source}, {"path", &s.Path},
		{"asked_metric", &s.AskedMetric},
	}
}

func (c *ChainSummary) members() []member {
	return []member{
		{"chain", &c.Chain}, {"used", &c.Used}, {"draws", &c.Draws},
		{"step_size", (*number)(&c.StepSize)}, {"accept_stat", (*number)(&c.AcceptStat)},
		{"lp", (*number)(&c.LP)}, {"ebfmi", (*number)(&c.EBFMI)}, {"divergences", &c.Divergences},
		{"max_depth_hits", &c.MaxDepthHits}, {"gradients", &c.Gradients},
		{"warmup_gradients", &c.WarmupGradients}, {"metric", &c.Metric},
		{"metric_rank", &c.MetricRank}, {"error", &c.Error},
		{"windows", &c.Windows},
	}
}

func (w *Warning) members() []member {
	return []member{
		{"kind", &w.Kind}, {"parameters", &w.Parameters}, {"chains", &w.Chains},
		{"value", (*number)(&w.Value)}, {"threshold", (*number)(&w.Threshold)},
		{"finding", &w.Finding}, {"meaning", &w.Meaning}, {"advice", &w.Advice},
	}
}

// MarshalJSON writes the settings under keys such as target_accept. It leaves out asked_metric if
// no metric was asked for.
func (s Sampler) MarshalJSON() ([]byte, error) {
	m := s.members()
	if s.AskedMetric == "" {
		m = m[:len(m)-1]
	}
	return marshal(m)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *Sampler) UnmarshalJSON(b []byte) error { return unmarshal(b, s.members()) }

// MarshalJSON writes null for statistics that are undefined.
func (p Parameter) MarshalJSON() ([]byte, error) {
	m := []member{{"name", p.Name}}
	if p.Label != "" {
		m = append(m, member{"label", p.Label})
	}
	for _, c := range Columns() {
		m = append(m, member{c.Key, number(c.Value(&p))})
	}
	return marshal(m)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (p *Parameter) UnmarshalJSON(b []byte) error {
	columns := Columns()
	values := make([]number, len(columns))
	m := []member{{"name", &p.Name}, {"label", &p.Label}}
	for i, c := range columns {
		m = append(m, member{c.Key, &values[i]})
	}
	err := unmarshal(b, m)
	for i, c := range columns {
		c.set(p, float64(values[i]))
	}
	p.ParetoK = math.NaN()
	return err
}

// MarshalJSON writes null for statistics that are undefined, and no windows if there were none.
func (c ChainSummary) MarshalJSON() ([]byte, error) {
	m := c.members()
	if len(c.Windows) == 0 {
		m = m[:len(m)-1]
	}
	return marshal(m)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (c *ChainSummary) UnmarshalJSON(b []byte) error { return unmarshal(b, c.members()) }

// MarshalJSON writes null for numbers that JSON cannot represent, and empty lists rather than null.
func (w Warning) MarshalJSON() ([]byte, error) {
	if w.Parameters == nil {
		w.Parameters = []string{}
	}
	if w.Chains == nil {
		w.Chains = []int{}
	}
	return marshal(w.members())
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (w *Warning) UnmarshalJSON(b []byte) error { return unmarshal(b, w.members()) }
