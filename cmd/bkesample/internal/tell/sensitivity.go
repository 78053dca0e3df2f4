package tell

import (
	"fmt"
	"io"

	"bayeskernel/cmd/bkesample/internal/work"
)

// sensitivityTable prints what other choices lead to.
func sensitivityTable(w io.Writer, list []work.SensitivityRow) error {
	var body [][]string
	for _, r := range list {
		if r.Error != "" {
			body = append(body, []string{r.Choice, "", r.Error, "", "", ""})
			continue
		}
		theta := ""
		for i, t := range r.Theta {
			if i > 0 {
				theta += " "
			}
			theta += fmt.Sprintf("%.3g", float64(t))
		}
		body = append(body, []string{r.Choice, fmt.Sprint(r.M), theta,
			fmt.Sprintf("%.3g", float64(r.Tau2)), fmt.Sprintf("%.3f", float64(r.Certainty)),
			fmt.Sprintf("%.0f%%", 100*float64(r.Share))})
	}
	fmt.Fprintln(w, "Other choices: the posterior mode, the level up to which a simultaneous band "+
		"excludes 0, and the share\nof the points where the band at each point does.")
	return writeTable(w, []string{"", "m", "theta", "tau2", "level", "share"}, body)
}
