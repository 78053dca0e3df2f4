package hmc

// Windows divides warm-up into phases. At the beginning and at the end only the step size adapts.
// The windows in between double in length, and at the end of each the metric is set from its draws.
// A Fisher metric with correlations also uses the draws of the previous window, if that had at
// least 100 but fewer than ten times the dimension. Zero values mean the defaults, which depend on
// the length of warm-up.
type Windows struct {
	Init int // transitions before the first window
	Base int // length of the first window
	Term int // transitions after the last window
}

// schedule lists the windows of a warm-up.
type schedule struct {
	Start int   // the first transition whose draw counts for a metric
	Ends  []int // the last transition of each window
}

// stanWindows is Stan's schedule to the letter. It keeps two defects. Below 150 transitions Stan
// shortens the windows, but none ever ends, so the metric is never set. And the last window,
// however short, overwrites the one before.
func stanWindows(warmup int, w Windows) schedule {
	w = w.stanDefaults()
	if warmup < shortest || w.Init+w.Base+w.Term > warmup {
		return schedule{Start: warmup}
	}
	s := schedule{Start: w.Init}
	last := warmup - w.Term - 1
	size := w.Base
	end := w.Init + size - 1
	for {
		s.Ends = append(s.Ends, end)
		if end >= last {
			return s
		}
		size *= 2
		end += size
		if end != last && end+2*size >= warmup-w.Term {
			end = last
		}
	}
}

// windows is the default schedule; w must hold no zeros. It is Stan's with both defects fixed.
// Short warm-ups have windows too: their beginning and end are 15% and 25% of the whole. A last
// window that is too short is merged into the one before. It is too short if it has fewer than 25
// transitions, fewer than half of the one before, or fewer than the metric needs: min(2d, half of
// all windows together) for a metric that needs d draws.
func windows(warmup, d int, w Windows) schedule {
	if warmup < shortest {
		return schedule{Start: warmup}
	}
	s := schedule{Start: w.Init}
	stop := warmup - w.Term // the first transition after the windows
	least := max(25, min(2*d, (stop-w.Init)/2))
	for start, size := w.Init, w.Base; start < stop; size *= 2 {
		end := start + size
		left := stop - end // transitions left for the next window
		if left < max(least, size/2) {
			end = stop
		}
		s.Ends = append(s.Ends, end-1)
		start = end
	}
	return s
}

// early returns the end of the windows shorter than lasting.
func (s schedule) early() int {
	start := s.Start
	for _, end := range s.Ends {
		if end+1-start >= lasting {
			break
		}
		start = end + 1
	}
	return start
}

// stanDefaults fills in the zero values as Stan does.
func (w Windows) stanDefaults() Windows {
	if w.Init == 0 {
		w.Init = 75
	}
	if w.Base == 0 {
		w.Base = 25
	}
	if w.Term == 0 {
		w.Term = 50
	}
	return w
}

// defaults fills in the zero values for a warm-up of the given length. The Fisher metric needs few
// draws and tolerates draws from the tails, so its windows begin after at most 10 transitions and
// with 10 draws. A poor first metric, which costs many gradients, is thus soon replaced.
func (w Windows) defaults(warmup int, est Estimator) Windows {
	start, base := 10, 10
	if est == Covariance {
		start, base = 75, 25
	}
	if w.Init == 0 {
		w.Init = min(start, warmup*15/100)
	}
	if w.Base == 0 {
		w.Base = base
	}
	if w.Term == 0 {
		w.Term = min(100, warmup/4)
	}
	return w
}
