package sequential

import "math"

// gambler bets on payoffs in [-1, 1] whose expectation is 0 under the null hypothesis.
type gambler struct {
	logCapital float64
	fraction   float64 // of the capital that is at stake
	curvature  float64 // of the online Newton step
}

// mostFraction bounds the stake, so that no single payoff ruins a gambler.
const mostFraction = 0.75

// bet takes a payoff, and then chooses the next stake by an online Newton step on the log of the capital. Stakes are not
// negative: witnesses have the sign of what was seen before.
func (g *gambler) bet(payoff float64) {
	growth := 1 + g.fraction*payoff
	g.logCapital += math.Log(growth)
	z := payoff / growth
	g.curvature += z * z
	const rate = 2 / (2 - 1.0986122886681098) // 2/(2 - log 3)
	g.fraction = min(mostFraction, max(0, g.fraction+rate*z/(1+g.curvature)))
}

// table is what several gamblers have.
type table struct {
	gamblers []gambler
	most     float64 // largest log of the joint capital so far
}

func newTable(n int) *table { return &table{gamblers: make([]gambler, n)} }

// bet takes the payoff of each gambler.
func (t *table) bet(payoffs []float64) {
	for i, p := range payoffs {
		t.gamblers[i].bet(p)
	}
	t.most = max(t.most, t.logCapital())
}

// logCapital is the log of the mean capital of the gamblers.
func (t *table) logCapital() float64 {
	top := math.Inf(-1)
	for _, g := range t.gamblers {
		top = max(top, g.logCapital)
	}
	sum := 0.0
	for _, g := range t.gamblers {
		sum += math.Exp(g.logCapital - top)
	}
	return top + math.Log(sum/float64(len(t.gamblers)))
}
