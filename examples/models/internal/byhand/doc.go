// Package byhand turns named parameters, their supports and priors, and a log likelihood with a
// hand-derived gradient into a target for the samplers of packages hmc and nuts. Package model needs
// no derivation; what is written here checks it.
//
// # Writing a model
//
// Declare the parameters on a Model, write the log likelihood and its gradient as a function of
// their values, and hand the result of Model.Factory to a sampler:
//
//	var m byhand.Model
//	mu := m.Real("mu", priors.Normal{Mean: 0, SD: 5})
//	tau := m.Positive("tau", priors.HalfCauchy{Scale: 5})
//	eta := m.Reals("eta", 8, priors.Normal{Mean: 0, SD: 1})
//	run, err := nuts.Sample(ctx, m.Factory(func() byhand.LogLikelihood {
//		// Make the workspace of one chain here.
//		return func(v, grad []float64) float64 {
//			// v[mu], v[tau] and eta.Of(v) are the values; add to grad[mu], eta.Of(grad)[0], ...
//		}
//	}), nuts.Config{})
//
// The function sees only the scale on which the parameters were declared: tau, not log tau. The
// package adds the priors, the change of variables below, and the gradients of both. Draws are
// recorded as mu, tau, eta[1], ..., eta[8], followed by the quantities that Model.Quantity and
// Model.Quantities derive from them. Check a new likelihood with hmc.CheckGradient.
//
// # What is sampled
//
// The samplers move in all of R^d. A parameter with a bounded support is mapped onto it by a
// transform v = v(x) of package priors, for example the exponential for a positive one. The log
// density in x is
//
//	log prior(v(x)) + log likelihood(v(x)) + log |det dv/dx|,
//
// with all the constants of the priors. Outside the support, and where v(x) overflows, it is -Inf.
// The likelihood is called only where the log prior is finite.
//
// A chain can start at a point drawn from the priors (hmc.InitTarget), or at values of your choice:
// Model.Unconstrain returns the point of R^d behind them.
//
// # What a model refuses
//
// Names that repeat, priors with bad parameters, and priors confined to less than the support of
// their parameter are errors. The factory reports all of them at once.
package byhand
