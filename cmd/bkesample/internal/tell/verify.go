package tell

import (
	"fmt"
	"io"
	"math"

	"bayeskernel/cmd/bkesample/internal/work"
)

// verifyTable prints the comparison.
func verifyTable(w io.Writer, vs []work.Verified) error {
	var body [][]string
	worst := 0.0
	for _, v := range vs {
		body = append(body, []string{v.Parameter + " " + v.Statistic, Figures(float64(v.Draws)),
			fmt.Sprintf("%.6g", float64(v.Exact)), error2(float64(v.MCSE)),
			fmt.Sprintf("%+.1f", float64(v.Z))})
		worst = math.Max(worst, math.Abs(float64(v.Z)))
	}
	paragraph(w, fmt.Sprintf("Draws against the exact posterior given these pseudo-inputs, by "+
		"quadrature. The largest difference is %.1f MCSE; more than 5 would mean that the sampler is "+
		"wrong, or that the chains are too short to tell.", worst))
	return writeTable(w, []string{"", "draws", "exact", "MCSE", "difference/MCSE"}, body)
}
