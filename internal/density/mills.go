package density

// Mills is the ratio of the upper tail of the standard normal distribution to its density at x >= 0,
// which falls from sqrt(pi/2) as 1/x. It is a quotient of polynomials with positive coefficients, fitted
// to 50 digits: its relative error is below 1e-17 before rounding, and 1e-15 after.
func Mills(x float64) float64 {
	if !(x < 1e6) {
		return 1 / x
	}
	p := 8.2693665369943379408e-7*x + 0.000024283055600769638005
	q := 8.2693665369943378583e-7*x + 0.000024283055600769664533
	q = q*x + 0.00035417067679428637044
	p = p*x + 0.00035334374014060068007
	q = q*x + 0.0033269826188548771095
	p = p*x + 0.0033026995632513519823
	q = q*x + 0.022119890460674554006
	p = p*x + 0.021768200594128466575
	q = q*x + 0.1084486760308989954
	p = p*x + 0.10519454256073490498
	q = q*x + 0.39775408052757660508
	p = p*x + 0.37668429880778209328
	q = q*x + 1.0863482841671726472
	p = p*x + 0.98751628750859564404
	q = q*x + 2.1572965465240696483
	p = p*x + 1.8206769070656728886
	q = q*x + 2.9574754694065687013
	p = p*x + 2.1491096602181299781
	q = q*x + 2.5126259781632050119
	p = p*x + 1.2533141373155002617
	q = q*x + 1
	return p / q
}
