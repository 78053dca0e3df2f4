// Package hmc samples from densities on R^d with Hamiltonian Monte Carlo.
//
// A Target is a log density with its gradient. Sample runs static HMC on it; package nuts runs the
// No-U-Turn sampler, which chooses the length of its trajectories itself. Begin with nuts: both share
// everything that this package has, and Settings means the same to both.
//
// # How to begin
//
// Write a type with two methods, Dim and LogDensity, and pass it to nuts.Sample by Shared. If it has
// memory of its own to work in, write a Factory, which makes one for each chain. CheckGradient compares
// a gradient with differences of the density; every chain does so once where it starts. Then read
// run.Summary(): the table, and the warnings below it, which say in sentences what to do next.
//
// The zero Settings run 4 chains of 1000 transitions of warm-up and 1000 draws. Beside these counts
// and the seed there are three groups: Adapt says how warm-up learns metric and step size, Start where
// chains begin, Checkpoints where the run is kept. Until ends a run when it is precise enough. Record,
// OnProgress and OnDraw follow a run on its way.
//
// Parameters that are positive or bounded are sampled as logarithms or the like. A target that is also
// a Constrainer says what they are called and what they are on their own scale. Package model does all
// of this for declared models.
//
// # The parts
//
// Run makes the chains and runs them side by side. A chain repeats transitions: a Transition moves a
// Point along a Hamiltonian, whose Metric sets the units. During warm-up an Adaptation looks at each
// transition and sets the step size, and the metric at the end of each window. Static HMC and NUTS
// differ in their Transition alone; a third sampler would bring no more than a Method.
//
// A kind of metric is a file: its Metric, how warm-up estimates it and how it is recorded. What it
// records, files of draws, warm starts and checkpoints carry without knowing what it means, and a
// program that lacks the kind says so.
//
// # What may be added
//
// Some interfaces are optional. What has their methods is used, and no setting asks for it:
//
//	Constrainer           a target's values on the user's scale and their names; both methods or neither
//	Initializer           a target's own starting points, for Start.From = InitTarget
//	Explainer             why a target has no density at a point, for errors
//	Limiter               a transition that keeps trajectories short early in warm-up
//	draws.WindowRecorder  a recorder that is told how warm-up chose the metric
//	draws.Discarder       a recorder that goes away without a trace if the run never began
//
// # The dynamics
//
// A position x is given a momentum p, drawn from N(0, W^-1), and both follow the flow of
//
//	H(x, p) = -log density(x) + p'W p/2
//
// which keeps H and volume, so that a long move is still likely to be accepted (Neal 2011). The
// leapfrog integrator is reversible and volume-preserving itself; what it loses of H is made good
// by accepting or choosing states by exp(-H).
//
// W, the inverse metric, should be about the covariance of the target: in its units the target is
// round, and steps of one size suit all directions.
//
// # Warm-up
//
// The step size is tuned by dual averaging (Nesterov 2009; Hoffman and Gelman 2014) towards a mean
// acceptance of Settings.TargetAccept. The metric is set at the end of each of a row of windows of
// growing length. By default
//
//   - the metric is the geometric mean of the covariance of the draws and the inverse covariance of
//     their gradients, which minimises the Fisher divergence from a standard normal (Seyboldt,
//     Carlson and Carpenter 2026): a full matrix up to 100 dimensions, one of low rank above. For a
//     normal target it is exact from more draws than dimensions, wherever they lie, so windows begin
//     after 10 transitions;
//   - in the last two windows and after them, once 20 long strides have found about the right
//     step size, dual averaging goes on with strides a tenth as long (Gamma 0.5, Stan's is 0.05),
//     so that the mean acceptance is what was asked for, and chains agree on their step sizes;
//   - a posterior with places where such a step is too long shows in trajectories that lose an
//     energy of 7 or more: 1 in 200 where one step suits all places. Unless TargetAccept is given,
//     the last target is raised where there are more than 1 in 100, to 0.91 where there are 2;
//   - trajectories double at most 6 times up to the end of the windows shorter than 100: where the
//     metric is still poor they would be long, and teach no more about it than short ones;
//   - a chain that comes from a minor mode late leaves draws of both in a window. Its latter half
//     alone makes the metric if that is plenty, and of another place: if the metric of the whole
//     has 1.3 times the Fisher divergence there;
//   - the acceptance statistic is symmetric in gains and losses of energy. Stan's gives a gain the
//     same score as no change, and so accepts more often than it was asked to;
//   - a last window too short to estimate from is merged into the one before, and a warm-up as
//     short as 20 transitions has a window.
//
// A metric with correlations is estimated as W = S (I + U'LU) S: S is diagonal, and the rows of U
// are the strongest directions of the draws and the gradients of a window, in the units of S. How
// many of them, 0 to as many as there are draws, the window decides itself: each number (1, 2, 4,
// …) is fitted to its first two thirds, and the one with the least Fisher divergence on the last
// third,
//
//	mean of g'Wg + x'W^-1 x,
//
// is fitted to all of it. S begins as the diagonal Fisher metric, and is set anew up to three times
// from what the directions leave of draws and gradients, as long as that divergence falls: without
// this, a direction with a large variance, spread over all coordinates, spoils the scale of each.
// No directions, a diagonal metric, is one of the choices of AutoMetric. With ten times as many
// draws as dimensions, all directions are kept without a trial; with fewer, a window of 100 or more
// serves the next one too. A chain's Windows record what was tried and chosen.
//
// A metric of low rank leaves out directions whose variance is within a quarter of that of the
// others; a step with it costs O(dk) for k directions.
//
// Adapt.StanWarmup asks for Stan's warm-up to the letter instead.
//
// # Random numbers
//
// Chain c of a run draws from a stream that depends on Settings.Seed and c alone. The same seed
// makes the same bytes, however many chains there are or run at once; a run that is stopped and
// resumed from its checkpoint too. A run is left between any two gradients once its context has
// ended: what was begun is made again, from the same random numbers, when the run goes on.
//
// # What goes wrong
//
// Random starting points whose log density is astronomically low beside that of others are drawn
// again, for a chain that starts there hardly moves. Log densities of NaN or -Inf met on the way
// are divergences, counted with their reasons. A density of +Inf, a panic, a gradient that does not
// fit the density, or an initial point that cannot be used end a chain with an error of one line;
// the other chains finish, and the partial run is returned together with the error. Nothing is
// printed and nothing exits.
package hmc
