package hmc

// moved reports whether the chain has left the place where was was estimated. It compares was with
// now on the pairs of this window that now was fitted to. These must be plenty: a metric fits a few
// of its own pairs far better than others.
func (w *pairs) moved(was, now Metric) bool {
	n := min(w.N, w.Most)
	from := max(w.from, n-w.New)
	if n-from < plenty*w.D {
		return false
	}
	x, g := w.rows(from, n)
	return divergence(was, x, g) > elsewhere*divergence(now, x, g)
}

// settle sets the first pair to estimate from. It starts with all pairs, and drops the first half
// as long as the second half has plenty of pairs and is from another place.
func (w *pairs) settle(n int, old Metric) error {
	for w.from = 0; ; {
		half := n - (n-w.from)/2
		if n-half < plenty*w.D {
			return nil
		}
		whole, err := w.all(w.from, n, old)
		if err != nil {
			return err
		}
		later, err := w.all(half, n, old)
		if err != nil {
			return err
		}
		x, g := w.rows(half, n)
		if !(divergence(whole, x, g) > elsewhere*divergence(later, x, g)) {
			return nil
		}
		w.from = half
	}
}

// all returns the metric with all directions, fitted to the pairs from lo to hi.
func (w *pairs) all(lo, hi int, old Metric) (Metric, error) {
	x, g := w.rows(lo, hi)
	return newFisherFit(x, g, old, w.D, w.D, 0, nil).metric(w.D, 0)
}
