// Package model declares statistical models: parameters with their distributions, what is computed
// of them, and what was observed. Gradients are derived by the program, compiled into loops over
// vectors that allocate nothing.
//
// # To begin with
//
// A meta-analysis of eight schools, each with an effect of its own:
//
//	m := model.New()
//	mu, tau := m.Real("mu", model.Normal(0, 5)), m.Positive("tau", model.HalfCauchy(5))
//	theta := m.Reals("theta", 8, model.Normal(mu, tau), model.NonCentred)
//	m.Observe(m.Data("y", y), model.Normal(theta, sigma))
//
//	p, err := m.Compile()
//	run, err := nuts.Sample(ctx, p.Target, nuts.Config{})
//	fmt.Println(run.Summary())
//
// Declarations do not fail. Compile reports all that is wrong with them at once, each with file and
// line. That includes what could be sampled but makes no sense: a scale that may be negative, or flat
// parameters that only appear as a sum.
//
// # What there is
//
// Expressions ([Expr]) are numbers or vectors. A number goes with a vector of any length, vectors
// go with vectors of their own length, and anything else is an error. Arguments of distributions
// take constants as they are.
//
//   - Parameters: [Model.Real], [Model.Positive], [Model.Interval], [Model.Between] for ends that
//     are expressions, [Model.Ordered], [Model.PositiveOrdered], [Model.Simplex], [Model.UnitVector],
//     [Model.SumToZero]; in the plural for vectors, and over a factor for one value per label
//     ([Factor.Reals]). Matrices: [Model.Covariance], [Model.Correlation], [Model.CorrCholesky].
//   - Data: [Model.Data], [Model.Counts], [Model.Matrix], [Model.Factor] for labels,
//     [Model.Missing] for values of which some are not known.
//   - Distributions: [Normal], [StudentT], [Gamma], [BernoulliLogit], [PoissonLog] and so on, [Mix]
//     for mixtures, [Dist.Truncate] and [Dist.Censor].
//   - Gaussian processes: [SquaredExponential], [Matern32], [Matern52], and [KernelMatrix] for all kernels
//     of package kernels, their sums and products; [Conditional].
//   - Differential equations: [Model.ODE], with exact derivatives. Recurrences: [Recur].
//   - Dependence: [RandomWalk] and [Autoregression], of parameters or data, and [ICAR].
//   - What is missing: [Model.Custom], with a derivative of your own; [Model.Density] for a density of
//     what is computed, and [Model.AddLogDensity].
//
// A parameter that is narrower than its distribution truncates it: [Model.Positive] with [StudentT]
// is a half Student-t, normalised, and [Model.Between] with [Normal] a normal distribution between ends that may be
// parameters.
//
// # What comes of one declaration
//
// A [Program] is safe to share, and has
//
//   - [Program.Target], for packages nuts, hmc, modes and temper;
//   - [Program.Prior] and [Program.Predictive], draws from the prior, and new data from either
//     prior or posterior; series are drawn step by step, so that they do not look at their future;
//   - [Model.Predict] declares what is to be predicted beside, of a Gaussian process with
//     [Conditional];
//   - [Program.WithData], [Program.With] and [Program.WithLabels], predictions for new data and for groups that were
//     not there; [Program.Without], the posterior without some rows;
//   - [Program.LogLik], the log likelihood of each observation, for package loo;
//   - [Program.Residuals] and [Program.Replicate], for goodness of fit by package stein;
//   - [Program.Calibration] and [Program.Reference], for packages calibration and temper;
//   - [Program.Write], a Zarr folder with labelled dimensions that xarray reads;
//   - [Program.String], the model in words, and what was rewritten.
//
// # Centred or not
//
// With few data in each group the values of a group and their standard deviation depend on each
// other so strongly that no step size suits both; z = (value - location)/scale does not depend on the
// standard deviation. With many data in each group it is the other way round. So warm-up learns how far
// to centre each value, between z and the value itself: it compares the Fisher divergence of the
// chains' draws in a few such coordinates (see [Program.Centring] for what it chose). Draws are recorded
// as declared. The options [Centred] and [NonCentred] force one way. Log densities outside a run, the
// starts of a run and its last positions are in the coordinates declared.
//
// # Densities
//
// Densities are normalised, with the Jacobian of the change of variables to the coordinates that
// are sampled. [Flat] is density 1 and improper: there is nothing to draw from, and no evidence. Of
// ordered values see [Model.Ordered].
//
// # How it works
//
// The declarations are a graph, and their order is the order of computation. What depends on data
// alone is computed once. A density is where derivatives start: one loop over its values adds their
// log density and its derivatives in all arguments, and a pass backwards through the graph carries
// these to the parameters. Compile changes the computations where that saves time, see [Rewrite]: a
// linear regression costs the square of the number of its coefficients, whatever the number of
// rows, rows with equal predictors become one, and sums of indexed, weighted terms are one loop.
//
// Folder examples/declared has the posteriors of posteriordb, with a benchmark against gradients by
// hand; examples/radon, examples/series and examples/counts are worked from the question to the
// picture. README.md says how what you know from Stan, PyMC or brms is said here.
package model
