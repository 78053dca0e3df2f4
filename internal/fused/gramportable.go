package fused

// gramPortable adds one block of rows to the sums of j.
func gramPortable(j *gramJob, rows int) {
	switch {
	case !j.ard && j.dim == 2:
		j.portable2(rows)
	case !j.ard:
		j.portable3(rows)
	case j.dim == 2:
		j.portableARD2(rows)
	default:
		j.portableARD3(rows)
	}
}

// far adds a pair with k = 0.
func far(t []float64, shift float64) {
	t[0] -= shift
	t[1] += shift * shift
}

func (j *gramJob) portable2(rows int) {
	x1, x2 := j.column(0)[:rows], j.column(1)[:rows]
	c, dmax := j.c, j.dmax
	shifts, z, sums := j.shift, j.z[:2*len(j.shift)], j.sums[:4*len(j.shift)]
	for i, xi := range x1 {
		yi := x2[i]
		var tg, g11, g12, th, h11, h12 float64
		for l, shift := range shifts {
			v1, v2 := xi-z[2*l], yi-z[2*l+1]
			m11 := v1 * v1
			d := m11 + v2*v2
			t := (*[4]float64)(sums[4*l:])
			if d > dmax {
				far(t[:], shift)
				continue
			}
			s, w := exp2Neg(c*d, raise)
			f := (s - shift) + w // accurate also where k and shift are near 1
			k := s + w
			kd := k * d
			t[0] += f
			t[1] += f * f
			t[2] += kd
			t[3] += f * kd
			kk, kkd, m12 := k*k, k*kd, v1*v2
			tg += kkd
			g11 += kk * m11
			g12 += kk * m12
			th += kkd * d
			h11 += kkd * m11
			h12 += kkd * m12
		}
		for k, v := range [6]float64{tg, g11, g12, th, h11, h12} {
			j.block[(2+k)*j.stride+i] = v
		}
	}
}

func (j *gramJob) portable3(rows int) {
	x1, x2, x3 := j.column(0)[:rows], j.column(1)[:rows], j.column(2)[:rows]
	c, dmax := j.c, j.dmax
	shifts, z, sums := j.shift, j.z[:3*len(j.shift)], j.sums[:4*len(j.shift)]
	for i := range x1 {
		var g, h [6]float64
		for l, shift := range shifts {
			v1, v2, v3 := x1[i]-z[3*l], x2[i]-z[3*l+1], x3[i]-z[3*l+2]
			m11, m22 := v1*v1, v2*v2
			d := m11 + m22 + v3*v3
			t := (*[4]float64)(sums[4*l:])
			if d > dmax {
				far(t[:], shift)
				continue
			}
			s, w := exp2Neg(c*d, raise)
			f := (s - shift) + w
			k := s + w
			kd := k * d
			t[0] += f
			t[1] += f * f
			t[2] += kd
			t[3] += f * kd
			kk, kkd := k*k, k*kd
			m12, m13, m23 := v1*v2, v1*v3, v2*v3
			g[0] += kkd
			g[1] += kk * m11
			g[2] += kk * m12
			g[3] += kk * m13
			g[4] += kk * m22
			g[5] += kk * m23
			h[0] += kkd * d
			h[1] += kkd * m11
			h[2] += kkd * m12
			h[3] += kkd * m13
			h[4] += kkd * m22
			h[5] += kkd * m23
		}
		for k := range g {
			j.block[(3+k)*j.stride+i], j.block[(9+k)*j.stride+i] = g[k], h[k]
		}
	}
}

func (j *gramJob) portableARD2(rows int) {
	x1, x2 := j.column(0)[:rows], j.column(1)[:rows]
	c, dmax, r1, r2 := j.c, j.dmax, j.factor[0], j.factor[1]
	shifts, z, sums := j.shift, j.z[:2*len(j.shift)], j.sums[:8*len(j.shift)]
	for i, xi := range x1 {
		yi := x2[i]
		var g11, g12, g22 float64
		var h [5]float64
		for l, shift := range shifts {
			v1, v2 := (xi-z[2*l])*r1, (yi-z[2*l+1])*r2
			m11, m22 := v1*v1, v2*v2
			d := m11 + m22
			t := (*[8]float64)(sums[8*l:])
			if d > dmax {
				far(t[:], shift)
				continue
			}
			s, w := exp2Neg(c*d, raise)
			f := (s - shift) + w
			k := s + w
			k1, k2 := k*m11, k*m22
			t[0] += f
			t[1] += f * f
			t[2] += k1
			t[3] += f * k1
			t[4] += k2
			t[5] += f * k2
			m12, p11, p22 := v1*v2, k*k1, k*k2
			g11 += p11
			g12 += k * k * m12
			g22 += p22
			h[0] += p11 * m11
			h[1] += p11 * m12
			h[2] += p11 * m22
			h[3] += p22 * m12
			h[4] += p22 * m22
		}
		for k, v := range [8]float64{g11, g12, g22, h[0], h[1], h[2], h[3], h[4]} {
			j.block[(2+k)*j.stride+i] = v
		}
	}
}

func (j *gramJob) portableARD3(rows int) {
	x1, x2, x3 := j.column(0)[:rows], j.column(1)[:rows], j.column(2)[:rows]
	c, dmax, r := j.c, j.dmax, j.factor
	shifts, z, sums := j.shift, j.z[:3*len(j.shift)], j.sums[:8*len(j.shift)]
	for i := range x1 {
		var g [6 + 15]float64
		for l, shift := range shifts {
			v1, v2, v3 := (x1[i]-z[3*l])*r[0], (x2[i]-z[3*l+1])*r[1], (x3[i]-z[3*l+2])*r[2]
			m11, m22, m33 := v1*v1, v2*v2, v3*v3
			d := m11 + m22 + m33
			t := (*[8]float64)(sums[8*l:])
			if d > dmax {
				far(t[:], shift)
				continue
			}
			s, w := exp2Neg(c*d, raise)
			f := (s - shift) + w
			k := s + w
			k1, k2, k3 := k*m11, k*m22, k*m33
			t[0] += f
			t[1] += f * f
			t[2] += k1
			t[3] += f * k1
			t[4] += k2
			t[5] += f * k2
			t[6] += k3
			t[7] += f * k3
			m12, m13, m23, kk := v1*v2, v1*v3, v2*v3, k*k
			p11, p12, p13, p22, p23, p33 := k*k1, kk*m12, kk*m13, k*k2, kk*m23, k*k3
			g[0] += p11
			g[1] += p12
			g[2] += p13
			g[3] += p22
			g[4] += p23
			g[5] += p33
			g[6] += p11 * m11
			g[7] += p11 * m12
			g[8] += p11 * m13
			g[9] += p11 * m22
			g[10] += p11 * m23
			g[11] += p11 * m33
			g[12] += p12 * m22
			g[13] += p12 * m23
			g[14] += p12 * m33
			g[15] += p13 * m33
			g[16] += p22 * m22
			g[17] += p22 * m23
			g[18] += p22 * m33
			g[19] += p23 * m33
			g[20] += p33 * m33
		}
		for k, v := range g {
			j.block[(3+k)*j.stride+i] = v
		}
	}
}
