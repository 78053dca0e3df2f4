package main

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/internal/long"
)

// With 30 data sets and a place named in .9 of the rejections fewer than .7 are named with a probability below .002, and
// more than 5 are wrong with one below .005 if it is .05 of all.
func TestCounts(t *testing.T) {
	long.Skip(t)
	for _, u := range problems() {
		if u.name != "skewness" && u.name != "in-part" && u.name != "correlation" {
			continue
		}
		c, err := u.count(context.Background(), 30, 99)
		if err != nil {
			t.Fatal(err)
		}
		if float64(c.named) < 0.7*float64(c.rejected) || c.wrong > 5 || c.rejected < 8 {
			t.Errorf("%s: %+v", u.name, c)
		}
	}
}

// The densities are those of the samples: means of a bounded function over 20,000 rows agree within five standard errors.
func TestDensities(t *testing.T) {
	for _, u := range problems() {
		if u.dim > 1 {
			continue
		}
		u.n = 20000
		r := rand.New(rand.NewPCG(7, 7))
		x := u.sample(r, u.q)
		for _, cut := range []float64{-1, 0.3, 0.72, 1.9} {
			share, want := 0.0, 0.0
			for i := range u.n {
				if x.At(i, 0) <= cut {
					share += 1 / float64(u.n)
				}
			}
			from := -12.0
			if u.name == "in-part" {
				from = 0
			}
			const grid = 20000
			for k := range grid {
				v := from + (cut-from)*(float64(k)+0.5)/grid
				if cut > from && (u.name != "in-part" || v <= 1) {
					want += u.fq([]float64{v}) * (cut - from) / grid
				}
			}
			if se := math.Sqrt(want * (1 - want) / float64(u.n)); math.Abs(share-want) > 5*se+1e-3 {
				t.Errorf("%s: %v below %v, want %v", u.name, share, cut, want)
			}
		}
	}
}
