package main

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// survey is a row for each house.
type survey struct {
	county   []string
	floor    []float64 // 0 in the basement, 1 on the ground floor
	logRadon []float64
	houses   []int     // of each county
	truth    []float64 // intercepts that the data were made with
}

// synthetic returns 919 houses in 85 counties: few in most, a hundred in one. Intercepts are normal
// with mean 1.5 and standard deviation .35, slopes with -.7 and .25, the houses of a county differ
// by .75.
func synthetic() survey {
	const counties, houses = 85, 919
	r := rand.New(rand.NewPCG(1987, 919))
	var d survey
	weights, sum := make([]float64, counties), 0.0
	for c := range weights {
		weights[c] = math.Exp(1.1 * r.NormFloat64())
		sum += weights[c]
	}
	left := houses - counties
	for c := range weights {
		n := int(math.Round(float64(houses-counties) * weights[c] / sum))
		if c == counties-1 || n > left {
			n = left
		}
		left -= n
		d.houses = append(d.houses, n+1)
	}
	for c, n := range d.houses {
		a, b := 1.5+0.35*r.NormFloat64(), -0.7+0.25*r.NormFloat64()
		d.truth = append(d.truth, a)
		for range n {
			floor := 0.0
			if r.Float64() < 0.17 {
				floor = 1
			}
			d.county = append(d.county, fmt.Sprintf("county %02d", c+1))
			d.floor = append(d.floor, floor)
			d.logRadon = append(d.logRadon, a+b*floor+0.75*r.NormFloat64())
		}
	}
	return d
}
