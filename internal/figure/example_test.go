package figure_test

import (
	"bytes"
	"fmt"
	"image/png"
	"log"

	"bayeskernel/internal/figure"
)

// A witness function above zero on the left and below it on the right.
func Example() {
	fig, err := figure.Witness1D{
		Title: "two samples",
		Samples: []figure.Sample{{Name: "P", Values: []float64{-1, -0.5, 0}},
			{Name: "Q", Values: []float64{0, 0.5, 1}}},
		Band: figure.Ribbon{
			X:     []float64{-2, -1, 0, 1, 2},
			Mean:  []float64{0.1, 0.4, 0, -0.4, -0.1},
			Lower: []float64{-0.1, 0.2, -0.2, -0.6, -0.3},
			Upper: []float64{0.3, 0.6, 0.2, -0.2, 0.1},
		},
		Level: 0.8,
	}.Draw()
	if err != nil {
		log.Fatal(err)
	}
	var b bytes.Buffer
	if err := fig.WritePNG(&b); err != nil {
		log.Fatal(err)
	}
	config, err := png.DecodeConfig(&b)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(config.Width, "x", config.Height, "pixels")
	// Output: 1190 x 953 pixels
}
