package kernels

// Fill writes k(x_i, y_j) into dst[i*ny+j], where x and y hold points of dim coordinates, row by
// row, and ny is the number of points in y. Radial kernels with one or more lengthscales, and means
// of them, take the vector path and agree with At to 1e-12; any other kernel goes one by one. Fill
// panics if the lengths do not fit. It does not allocate, but for more than 32 lengthscales and,
// once a call, for a Mean or Mixed.
func Fill(dst []float64, k Kernel, path Path, x, y []float64, dim int) {
	checkPairs(dst, x, y, dim)
	if mean, ok := k.(Mean); ok && allInRange(mean) {
		fillMean(dst, mean, path, x, y, dim)
		return
	}
	if mixed, ok := k.(Mixed); ok {
		fillMixed(dst, mixed, path, x, y, dim)
		return
	}
	if s, ok := inRange(k); ok {
		var stack [onStack]float64
		inv := inverses(stack[:0], s.Theta, dim)
		inBlocks(dst, x, y, dim, func(dst, x, y []float64) {
			squares(dst, x, y, dim, inv)
			values(s.Radial, path, dst, dst)
		})
		return
	}
	ny := len(y) / dim
	for i := range len(x) / dim {
		xi, out := x[i*dim:(i+1)*dim], dst[i*ny:(i+1)*ny]
		for j := range out {
			out[j] = k.At(xi, y[j*dim:(j+1)*dim])
		}
	}
}

func checkPairs(dst, x, y []float64, dim int) {
	if dim < 1 || len(x)%dim != 0 || len(y)%dim != 0 {
		panic("kernels: points are not of dim coordinates")
	}
	if len(dst) != len(x)/dim*(len(y)/dim) {
		panic("kernels: length of dst is not the number of pairs")
	}
}

// onStack is the number of lengthscales for which Fill need not allocate.
const onStack = 32

// inverses appends 1/theta, once or for each coordinate.
func inverses(inv, theta []float64, dim int) []float64 {
	if len(theta) != 1 && len(theta) != dim {
		panic("kernels: the length of Theta is neither 1 nor that of the rows")
	}
	for _, t := range theta {
		inv = append(inv, 1/t)
	}
	return inv
}

// inRange returns k as radial where a difference times 1/theta is as good as one over theta: where
// 1/theta is a normal number.
func inRange(k Kernel) (s Stationary, ok bool) {
	s, ok = AsStationary(k)
	if l, is := k.(Laplacian); is {
		// The model has no use for nu = 1/2, but the values are those of this kernel.
		s, ok = Stationary{Matern{0.5}, l.Theta}, true
	}
	for _, t := range s.Theta {
		ok = ok && t > 1e-300 && t < 1e300
	}
	return s, ok
}

func allInRange(parts []Kernel) bool {
	for _, part := range parts {
		if _, ok := inRange(part); !ok {
			return false
		}
	}
	return len(parts) > 0
}

// block is the number of elements in hand at a time, so that they stay in the first cache.
const block = 1024

// inBlocks calls f for parts of dst, each a block of pairs row by row, and the points of its rows
// and columns.
func inBlocks(dst, x, y []float64, dim int, f func(dst, x, y []float64)) {
	nx, ny := len(x)/dim, len(y)/dim
	if ny == 0 {
		return
	}
	cols := min(ny, block)
	rows := block / cols
	for i := 0; i < nx; i += rows {
		above := min(i+rows, nx)
		for j := 0; j < ny; j += cols {
			right := min(j+cols, ny)
			f(dst[i*ny+j:(above-1)*ny+right], x[i*dim:above*dim], y[j*dim:right*dim])
		}
	}
}

// squares writes the squared distances in units of theta into dst; inv is 1/theta, once or for each
// coordinate.
func squares(dst, x, y []float64, dim int, inv []float64) {
	ny := len(y) / dim
	for i := 0; i*dim < len(x); i++ {
		xi, row := x[i*dim:(i+1)*dim], dst[i*ny:(i+1)*ny]
		switch {
		case dim == 1:
			squares1(row, y, xi[0], inv[0])
		case dim == 2:
			squares2(row, y, xi, inv[0], inv[len(inv)-1])
		case len(inv) == 1:
			c := inv[0]
			for j := range row {
				s := 0.0
				for a, v := range y[j*dim : (j+1)*dim] {
					d := (xi[a] - v) * c
					s += d * d
				}
				row[j] = s
			}
		default:
			for j := range row {
				s := 0.0
				for a, v := range y[j*dim : (j+1)*dim] {
					d := (xi[a] - v) * inv[a]
					s += d * d
				}
				row[j] = s
			}
		}
	}
}

// squares1 writes ((x-y_j) inv)² into dst[j].
func squares1(dst, y []float64, x, inv float64) {
	for len(dst) >= 4 && len(y) >= 4 {
		d0, d1, d2, d3 := (x-y[0])*inv, (x-y[1])*inv, (x-y[2])*inv, (x-y[3])*inv
		dst[0], dst[1], dst[2], dst[3] = d0*d0, d1*d1, d2*d2, d3*d3
		dst, y = dst[4:], y[4:]
	}
	for j := range dst {
		d := (x - y[j]) * inv
		dst[j] = d * d
	}
}

// squares2 does the same in two dimensions.
func squares2(dst, y, x []float64, inv0, inv1 float64) {
	x0, x1 := x[0], x[1]
	for len(dst) >= 2 && len(y) >= 4 {
		a, b := (x0-y[0])*inv0, (x1-y[1])*inv1
		c, d := (x0-y[2])*inv0, (x1-y[3])*inv1
		dst[0], dst[1] = a*a+b*b, c*c+d*d
		dst, y = dst[2:], y[4:]
	}
	for j := range dst {
		a, b := (x0-y[2*j])*inv0, (x1-y[2*j+1])*inv1
		dst[j] = a*a + b*b
	}
}

// fillMean has squared distances computed once for all parts of one lengthscale.
func fillMean(dst []float64, parts []Kernel, path Path, x, y []float64, dim int) {
	buffer := make([]float64, 2*min(block, len(dst)))
	var stack [onStack]float64
	inBlocks(dst, x, y, dim, func(dst, x, y []float64) {
		shared, value := buffer[:len(dst)], buffer[len(dst):2*len(dst)]
		unit := 0.0 // the lengthscale that shared is in units of
		clear(dst)
		for _, part := range parts {
			s, _ := inRange(part)
			ratio := unit / s.Theta[0]
			if len(s.Theta) == 1 && ratio > 1e-50 && ratio < 1e50 {
				ratio *= ratio
				for i, q := range shared {
					value[i] = q * ratio
				}
			} else {
				squares(value, x, y, dim, inverses(stack[:0], s.Theta, dim))
				if len(s.Theta) == 1 {
					unit = s.Theta[0]
					copy(shared, value)
				}
			}
			values(s.Radial, path, value, value)
			for i, v := range value {
				dst[i] += v
			}
		}
		for i := range dst {
			dst[i] /= float64(len(parts))
		}
	})
}
