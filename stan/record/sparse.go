package record

// sparseFunctions take matrices by compressed rows: their values, the columns of these, and where each row
// begins.
func sparseFunctions() []entry {
	return []entry{
		{"tuple(vector, array[] int, array[] int) csr_extract(matrix)", func(c *run, a []Value) Value {
			w, v, u := compressed(a[0].(*Matrix))
			return Tuple{w, v, u}
		}},
		{"vector csr_extract_w(matrix)", func(c *run, a []Value) Value { w, _, _ := compressed(a[0].(*Matrix)); return w }},
		{"array[] int csr_extract_v(matrix)", func(c *run, a []Value) Value { _, v, _ := compressed(a[0].(*Matrix)); return v }},
		{"array[] int csr_extract_u(matrix)", func(c *run, a []Value) Value { _, _, u := compressed(a[0].(*Matrix)); return u }},
		{"vector csr_matrix_times_vector(int, int, vector, array[] int, array[] int, vector)", func(c *run, a []Value) Value {
			n, b := a[0].(int), scalars(a[5])
			rowsOf := compressedRows(a)
			if len(b) != a[1].(int) {
				panic(rejectf("csr_matrix_times_vector: a matrix of %d columns and a vector of %d values", a[1].(int), len(b)))
			}
			out := make(Vector, n)
			for i, row := range rowsOf {
				var x, y []Real
				for _, e := range row {
					x, y = append(x, e.x), append(y, b[e.col])
				}
				out[i] = c.t.dot(x, y)
			}
			return out
		}},
		{"matrix csr_to_dense_matrix(int, int, vector, array[] int, array[] int)", func(c *run, a []Value) Value {
			out := &Matrix{a[0].(int), a[1].(int), repeat(constant(0), a[0].(int)*a[1].(int))}
			for i, row := range compressedRows(a) {
				for _, e := range row {
					out.set(i, e.col, e.x)
				}
			}
			return out
		}},
	}
}

// compressed are the values of a matrix that are not 0.
func compressed(m *Matrix) (w Vector, v, u Ints) {
	w, v, u = Vector{}, Ints{}, Ints{1}
	for i := range m.R {
		for j := range m.C {
			if x := m.at(i, j); x.N != 0 || x.V != 0 {
				w, v = append(w, x), append(v, j+1)
			}
		}
		u = append(u, len(w)+1)
	}
	return w, v, u
}

type sparseEntry struct {
	col int
	x   Real
}

func compressedRows(a []Value) [][]sparseEntry {
	rows, cols := a[0].(int), a[1].(int)
	w, v, u := scalars(a[2]), wholes(a[3]), wholes(a[4])
	if len(w) != len(v) || len(u) != rows+1 || rows < 0 {
		panic(rejectf("a sparse matrix of %d rows with %d values, %d columns of values and %d beginnings of rows, want %d",
			rows, len(w), len(v), len(u), rows+1))
	}
	out := make([][]sparseEntry, rows)
	for i := range out {
		if u[i] < 1 || u[i+1] < u[i] || u[i+1] > len(w)+1 {
			panic(rejectf("a sparse matrix whose row %d begins at value %d and ends before %d, of %d values", i+1, u[i], u[i+1], len(w)))
		}
		for k := u[i]; k < u[i+1]; k++ {
			if v[k-1] < 1 || v[k-1] > cols {
				panic(rejectf("column %d of a sparse matrix of %d columns", v[k-1], cols))
			}
			out[i] = append(out[i], sparseEntry{v[k-1] - 1, w[k-1]})
		}
	}
	return out
}
