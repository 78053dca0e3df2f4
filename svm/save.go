package svm

import (
	"encoding/json"
	"fmt"
	"io"

	"bayeskernel/kernels"
)

// savedKernel is a kernel that can be written.
type savedKernel struct {
	Name   string    `json:"name"` // what kernels.ParseRadial reads, laplacian, linear, polynomial, all-subsets
	Theta  []float64 `json:"theta,omitempty"`
	Offset float64   `json:"offset,omitempty"`
	Degree int       `json:"degree,omitempty"`
	Width  float64   `json:"width,omitempty"`
}

type savedMachine struct {
	Coef       []float64   `json:"coef"`
	Rho        float64     `json:"rho"`
	Objective  float64     `json:"objective"`
	Violation  float64     `json:"violation"`
	Iterations int         `json:"iterations"`
	Kernel     savedKernel `json:"kernel"`
	Columns    int         `json:"columns"`
	Rows       [][]float64 `json:"rows,omitempty"`
	Samples    []savedData `json:"samples,omitempty"`
}

type savedData struct {
	Rows    [][]float64 `json:"rows"`
	Weights []float64   `json:"weights"`
}

type savedClassifier struct {
	Classes []string    `json:"classes"`
	Pairs   []savedPair `json:"pairs"`
}

type savedPair struct {
	First   int           `json:"first"`
	Second  int           `json:"second"`
	A       float64       `json:"a"`
	B       float64       `json:"b"`
	Machine *savedMachine `json:"machine"`
}

// saved describes a kernel; only those of package kernels can be written, and no sums of them.
func (k Kernel) saved() (savedKernel, error) {
	s := savedKernel{Width: k.Width}
	if st, ok := kernels.AsStationary(k.Kernel); ok {
		s.Name, s.Theta = fmt.Sprint(st.Radial), st.Theta
		return s, nil
	}
	switch q := k.Kernel.(type) {
	case kernels.Laplacian:
		s.Name, s.Theta = "laplacian", q.Theta
	case kernels.Linear:
		s.Name = "linear"
	case kernels.Polynomial:
		s.Name, s.Offset, s.Degree = "polynomial", q.Offset, q.Degree
	case kernels.AllSubsets:
		s.Name = "all-subsets"
	default:
		return s, fmt.Errorf("svm: a kernel of type %T cannot be saved", k.Kernel)
	}
	return s, nil
}

func (s savedKernel) kernel() (Kernel, error) {
	k := Kernel{Width: s.Width}
	switch s.Name {
	case "laplacian":
		k.Kernel = kernels.Laplacian{Theta: s.Theta}
	case "linear":
		k.Kernel = kernels.Linear{}
	case "polynomial":
		k.Kernel = kernels.Polynomial{Offset: s.Offset, Degree: s.Degree}
	case "all-subsets":
		k.Kernel = kernels.AllSubsets{}
	default:
		r, err := kernels.ParseRadial(s.Name)
		if err != nil {
			return k, fmt.Errorf("svm: the file's kernel: %w", err)
		}
		k.Kernel = kernels.Stationary{Radial: r, Theta: s.Theta}
	}
	return k, nil
}

func rowsOf(x []float64, dim int) [][]float64 {
	var out [][]float64
	for i := 0; i < len(x); i += dim {
		out = append(out, x[i:i+dim])
	}
	return out
}

func (m *Machine) saved() (*savedMachine, error) {
	k, err := m.kernel.saved()
	if err != nil {
		return nil, err
	}
	s := &savedMachine{Coef: m.Coef, Rho: m.Rho, Objective: m.Objective, Violation: m.Violation,
		Iterations: m.Iterations, Kernel: k, Columns: m.support.dim}
	s.Rows = rowsOf(m.support.rows, m.support.dim)
	for _, a := range m.support.samples {
		s.Samples = append(s.Samples, savedData{rowsOf(a.x, m.support.dim), a.weights})
	}
	return s, nil
}

func (s *savedMachine) machine() (*Machine, error) {
	k, err := s.Kernel.kernel()
	if err != nil {
		return nil, err
	}
	m := &Machine{Coef: s.Coef, Rho: s.Rho, Objective: s.Objective, Violation: s.Violation,
		Iterations: s.Iterations, kernel: k, support: Data{dim: s.Columns}, margin: 1}
	flat := func(what string, rows [][]float64) ([]float64, error) {
		var out []float64
		for i, r := range rows {
			if len(r) != s.Columns {
				return nil, fmt.Errorf("svm: row %d of %s has %d values, want %d", i+1, what, len(r), s.Columns)
			}
			out = append(out, r...)
		}
		return out, nil
	}
	if m.support.rows, err = flat("the file", s.Rows); err != nil {
		return nil, err
	}
	for i, a := range s.Samples {
		x, err := flat(fmt.Sprintf("sample %d", i+1), a.Rows)
		if err != nil {
			return nil, err
		}
		if len(a.Weights) != len(a.Rows) {
			return nil, fmt.Errorf("svm: sample %d of the file has %d weights for %d rows", i+1,
				len(a.Weights), len(a.Rows))
		}
		m.support.samples = append(m.support.samples, sample{x, a.Weights})
	}
	if s.Columns < 1 || m.support.count() != len(s.Coef) {
		return nil, fmt.Errorf("svm: the file has %d items of %d columns and %d coefficients", m.support.count(),
			s.Columns, len(s.Coef))
	}
	if err := k.Check(s.Columns); err != nil {
		return nil, fmt.Errorf("svm: the file's kernel: %w", err)
	}
	return m, nil
}

// Save writes the machine as JSON. ReadMachine restores it to the bit.
func (m *Machine) Save(w io.Writer) error {
	s, err := m.saved()
	if err != nil {
		return err
	}
	return write(w, s)
}

// Save writes the classifier as JSON. ReadClassifier restores it to the bit.
func (c *Classifier) Save(w io.Writer) error {
	s := savedClassifier{Classes: c.Classes}
	for _, p := range c.Pairs {
		m, err := p.Machine.saved()
		if err != nil {
			return err
		}
		s.Pairs = append(s.Pairs, savedPair{p.First, p.Second, p.A, p.B, m})
	}
	return write(w, s)
}

func write(w io.Writer, v any) error {
	if err := json.NewEncoder(w).Encode(v); err != nil {
		return fmt.Errorf("svm: %w", err)
	}
	return nil
}

// ReadMachine reads what Machine.Save wrote.
func ReadMachine(r io.Reader) (*Machine, error) {
	var s savedMachine
	if err := json.NewDecoder(r).Decode(&s); err != nil {
		return nil, fmt.Errorf("svm: %w", err)
	}
	return s.machine()
}

// ReadClassifier reads what Classifier.Save wrote.
func ReadClassifier(r io.Reader) (*Classifier, error) {
	var s savedClassifier
	if err := json.NewDecoder(r).Decode(&s); err != nil {
		return nil, fmt.Errorf("svm: %w", err)
	}
	k := len(s.Classes)
	if k < 2 || len(s.Pairs) != k*(k-1)/2 {
		return nil, fmt.Errorf("svm: the file has %d classes and %d pairs of them", k, len(s.Pairs))
	}
	c := &Classifier{Classes: s.Classes}
	for i, p := range s.Pairs {
		if p.First < 0 || p.First >= p.Second || p.Second >= k || p.Machine == nil {
			return nil, fmt.Errorf("svm: pair %d of the file is of classes %d and %d", i+1, p.First, p.Second)
		}
		m, err := p.Machine.machine()
		if err != nil {
			return nil, err
		}
		c.Pairs = append(c.Pairs, Pair{First: p.First, Second: p.Second, Machine: m, A: p.A, B: p.B})
	}
	return c, nil
}
