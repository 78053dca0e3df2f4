package distreg

import (
	"fmt"
	"math"
	"sync"

	within "bayeskernel/internal/rows"

	"gonum.org/v1/gonum/mat"
)

// Data are labelled bags of rows.
type Data struct {
	// Bags hold the rows, one matrix for each bag. A bag without rows may be nil.
	Bags []mat.Matrix
	// Y has one label for each bag.
	Y []float64
	// Landmarks are the rows z at which embeddings are observed.
	Landmarks mat.Matrix
}

// Form says which model is meant. Its zero value is the default but for N0, Floor, AlphaSD and
// Jitter, which LearnForm has.
type Form struct {
	// Noise is the covariance of the error of an empirical embedding, for the gain and for what is
	// left unknown: "joseph" (default), pooled within bags for the gain and the bag's own for the
	// variance; "pooled" for both; or "own" for both.
	Noise string
	// R is the covariance of true embeddings between bags: "between" (default), estimated from the
	// bags; or "unit", the kernel's own r.
	R string
	// Prior is that of the weights at the landmarks: "ridge" (default), kappa² I, or "rkhs", kappa²
	// times the inverse Gram matrix.
	Prior string
	// N0 weights bag i by n_i/(n_i + N0) in the mean embedding. With 0 all bags weigh the same.
	N0 float64
	// Floor bounds the eigenvalues of R "between" from below, as a share of the largest.
	Floor float64
	// AlphaMean and AlphaSD are those of the intercept's normal prior.
	AlphaMean, AlphaSD float64
	// Jitter is added to the diagonal of the covariance within bags, in units of its mean diagonal.
	Jitter float64
}

// Params are the hyperparameters.
type Params struct {
	Sigma float64 // standard deviation of a label around its regression
	Kappa float64 // scale of the weights at the landmarks
	Eta   float64 // factor of the covariance between bags
	S     float64 // factor of the covariance within bags
	Theta float64 // lengthscale of the squared exponential kernel
}

// Model is a regression of labels on the embeddings of bags. It is safe for concurrent use.
type Model struct {
	form      Form
	bags      []*mat.Dense // nil where a bag is empty
	n         []float64
	y         []float64
	z         *mat.Dense
	dim, m    int
	w         []float64 // weights of bags in the mean embedding
	last      sync.Mutex
	prepared  *prepared
	leastRows float64 // sum of n_i - 1
}

var (
	noises = []string{"joseph", "pooled", "own"}
	rs     = []string{"between", "unit"}
	priors = []string{"ridge", "rkhs"}
)

// choice is the first of names where text is empty, and an error where it is none of them.
func choice(field, text string, names []string) (string, error) {
	if text == "" {
		return names[0], nil
	}
	for _, n := range names {
		if n == text {
			return n, nil
		}
	}
	return "", fmt.Errorf("distreg: %v is %q; it must be one of %q", field, text, names)
}

// New makes a model of bags. It copies what it is given.
func New(d Data, f Form) (*Model, error) {
	var err error
	if f.Noise, err = choice("Form.Noise", f.Noise, noises); err != nil {
		return nil, err
	}
	if f.R, err = choice("Form.R", f.R, rs); err != nil {
		return nil, err
	}
	if f.Prior, err = choice("Form.Prior", f.Prior, priors); err != nil {
		return nil, err
	}
	for _, v := range []struct {
		name  string
		value float64
	}{{"N0", f.N0}, {"Floor", f.Floor}, {"AlphaSD", f.AlphaSD}, {"Jitter", f.Jitter}} {
		if !(v.value >= 0) || math.IsInf(v.value, 0) {
			return nil, fmt.Errorf("distreg: Form.%v is %v; it must be finite and not negative", v.name, v.value)
		}
	}
	if math.IsNaN(f.AlphaMean) || math.IsInf(f.AlphaMean, 0) {
		return nil, fmt.Errorf("distreg: Form.AlphaMean is %v; it must be finite", f.AlphaMean)
	}
	if d.Landmarks == nil {
		return nil, fmt.Errorf("distreg: no landmarks")
	}
	m, dim := d.Landmarks.Dims()
	if m < 1 || dim < 1 {
		return nil, fmt.Errorf("distreg: landmarks are %v x %v; there must be at least one row and column", m, dim)
	}
	if len(d.Bags) != len(d.Y) {
		return nil, fmt.Errorf("distreg: %v bags and %v labels; there must be as many", len(d.Bags), len(d.Y))
	}
	if len(d.Bags) < 2 {
		return nil, fmt.Errorf("distreg: %v bags; there must be at least 2", len(d.Bags))
	}
	out := &Model{form: f, m: m, dim: dim, y: append([]float64(nil), d.Y...)}
	for i, v := range out.y {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("distreg: label %v is %v; it must be finite", i+1, v)
		}
	}
	if out.z, err = rows("landmarks", d.Landmarks, dim); err != nil {
		return nil, err
	}
	for i, b := range d.Bags {
		x, err := rows(fmt.Sprintf("bag %v", i+1), b, dim)
		if err != nil {
			return nil, err
		}
		out.bags = append(out.bags, x)
		n := count(x)
		out.n = append(out.n, n)
		out.leastRows += max(n-1, 0)
	}
	if out.leastRows < 1 {
		return nil, fmt.Errorf("distreg: no bag has two rows, so that nothing tells rows of one bag from those of another")
	}
	out.weigh()
	return out, nil
}

// weigh sets the weights of bags in the mean embedding.
func (m *Model) weigh() {
	m.w = make([]float64, len(m.n))
	sum := 0.0
	for i, n := range m.n {
		if n > 0 {
			m.w[i] = n / (n + m.form.N0)
			sum += m.w[i]
		}
	}
	for i := range m.w {
		m.w[i] /= sum
	}
}

// rows copies x, nil where it has none.
func rows(what string, x mat.Matrix, dim int) (*mat.Dense, error) {
	if x == nil {
		return nil, nil
	}
	if within.Nil(x) {
		return nil, fmt.Errorf("distreg: %v is a nil pointer, want a matrix, or nil for one without rows", what)
	}
	n, d := x.Dims()
	if n == 0 {
		return nil, nil
	}
	if d != dim {
		return nil, fmt.Errorf("distreg: %v has %v columns; the landmarks have %v", what, d, dim)
	}
	out := mat.DenseCopyOf(x)
	for i := range n {
		for j, v := range out.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("distreg: row %v of %v has %v in column %v; it must be finite", i+1, what, v, j+1)
			}
		}
	}
	return out, nil
}

// count is the number of rows of x.
func count(x *mat.Dense) float64 {
	if x == nil {
		return 0
	}
	n, _ := x.Dims()
	return float64(n)
}

// check says what is wrong with p.
func (p Params) check() error {
	for _, v := range []struct {
		name  string
		value float64
	}{{"Sigma", p.Sigma}, {"Kappa", p.Kappa}, {"Eta", p.Eta}, {"S", p.S}, {"Theta", p.Theta}} {
		if !(v.value > 0) || math.IsInf(v.value, 0) {
			return fmt.Errorf("distreg: Params.%v is %v; it must be positive and finite", v.name, v.value)
		}
	}
	return nil
}
