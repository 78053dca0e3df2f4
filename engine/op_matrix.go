package engine

import "gonum.org/v1/gonum/floats"

// Product is C = A B, for A with n rows of k and B with k rows of p. With c the adjoint of C, that of
// A gains c B' and that of B gains A' c.
type Product struct{ N, K, P int }

type productStep struct {
	Product
	out, adj, a, b, da, db []float64
}

func (m Product) Bind(out, adj []float64, in, din [][]float64) Step {
	return &productStep{m, out, adj, in[0], in[1], din[0], din[1]}
}

func (s *productStep) Forward() {
	clear(s.out)
	for i := range s.N {
		row := s.out[i*s.P : (i+1)*s.P]
		for l, v := range s.a[i*s.K : (i+1)*s.K] {
			if v == 0 {
				continue
			}
			floats.AddScaled(row, v, s.b[l*s.P:(l+1)*s.P])
		}
	}
}

func (s *productStep) Backward() {
	for i := range s.N {
		row := s.adj[i*s.P : (i+1)*s.P]
		for l := range s.K {
			b := s.b[l*s.P : (l+1)*s.P]
			if s.da != nil {
				s.da[i*s.K+l] += floats.Dot(row, b)
			}
			if v := s.a[i*s.K+l]; s.db != nil && v != 0 {
				db := s.db[l*s.P : (l+1)*s.P]
				floats.AddScaled(db, v, row)
			}
		}
	}
}

// MatVec is the product of a matrix of data, given column by column, and a vector.
type MatVec struct {
	Rows, Cols int
	X          []float64
	stride     int // from column to column, 0 for Rows
}

func (a MatVec) step() int {
	if a.stride == 0 {
		return a.Rows
	}
	return a.stride
}

func (a MatVec) column(j int) []float64 { return a.X[j*a.step() : j*a.step()+a.Rows] }

type matVecStep struct {
	MatVec
	out, adj, in, din []float64
}

func (a MatVec) Bind(out, adj []float64, in, din [][]float64) Step {
	return &matVecStep{a, out, adj, in[0], din[0]}
}

func (s *matVecStep) Forward() {
	clear(s.out)
	for j, b := range s.in {
		floats.AddScaled(s.out, b, s.column(j))
	}
}

func (s *matVecStep) Backward() {
	for j := range s.din {
		s.din[j] += floats.Dot(s.column(j), s.adj)
	}
}
