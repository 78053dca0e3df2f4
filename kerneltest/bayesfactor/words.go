package bayesfactor

import "math"

// Log10BF is the logarithm of the Bayes factor to base 10.
func (r *Result) Log10BF() float64 { return r.LogBF / math.Ln10 }

// FloorLog10 is the floor of it.
func (r *Result) FloorLog10() float64 { return r.Floor / math.Ln10 }

// Words says how strong the evidence is, and for what, as Kass and Raftery (1995) have it: up to 3
// for the larger of BF and 1/BF "hardly worth a mention", up to 20 "positive", up to 150 "strong".
func (r *Result) Words() string { return Words(r.LogBF) }

// Words are those of a natural logarithm of a Bayes factor.
func Words(logBF float64) string {
	var strength string
	switch size := math.Abs(logBF); {
	case size <= math.Log(3):
		strength = "hardly worth a mention"
	case size <= math.Log(20):
		strength = "positive"
	case size <= math.Log(150):
		strength = "strong"
	default:
		strength = "very strong"
	}
	if logBF < 0 {
		return strength + ", for sameness"
	}
	return strength + ", for a difference"
}
