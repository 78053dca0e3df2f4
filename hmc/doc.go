// Package hmc samples from densities on R^d with Hamiltonian Monte Carlo.
//
// A Target is a log density with its gradient. Sample runs static HMC on it; package nuts runs the
// No-U-Turn sampler, which chooses the length of its trajectories itself. Begin with nuts. Both
// samplers use everything else in this package and take the same Settings.
//
// # How to begin
//
// Write a type with two methods, Dim and LogDensity, and pass it to nuts.Sample by Shared. If it
// needs scratch memory, write a Factory, which makes one target for each chain. CheckGradient
// compares a gradient with finite differences of the log density; every chain does so once at its
// starting point. Then read run.Summary(): a table, and below it warnings that say what to do next.
//
// The zero Settings run 4 chains of at most 1000 transitions of warm-up and 1000 draws. Three groups of
// settings follow: Adapt says how warm-up learns the metric and the step size, Start where chains
// begin, Checkpoints where the state of the run is saved. Until ends a run when it is precise
// enough. Record, OnProgress and OnDraw follow a run as it goes.
//
// Positive or bounded parameters are sampled on an unconstrained scale, such as the logarithm. A
// target that is also a Constrainer names its values and transforms them back to the user's scale.
// Package model does all of this for declared models.
//
// # The parts
//
// Run makes the chains and runs them side by side. A chain repeats transitions: a Transition moves
// a Point along a Hamiltonian, whose Metric sets the units. During warm-up an Adaptation looks at
// each transition and sets the step size, and the metric at the end of each window. Static HMC and
// NUTS differ only in their Transition; a third sampler would only need a Method.
//
// Each kind of metric has its own file: the Metric, how warm-up estimates it and how it is
// recorded. Files of draws, warm starts and checkpoints carry that record without interpreting it.
// A program that lacks the kind says so.
//
// # What may be added
//
// Some interfaces are optional. Types that implement them are used automatically; there is no
// setting:
//
//	Constrainer               a target's values on the user's scale and their names; both methods or neither
//	Initializer               a target's own starting points, for Start.From = InitTarget
//	Labeller                  what a target calls its values before people
//	Fixer                     which of its values are constants by construction, of which no summary warns
//	Explainer                 why a target has no density at a point, for errors
//	Failer                    what is wrong with a target itself, as with a program, which ends the run
//	Costed                    what a gradient costs, for the choice of a metric
//	Limiter                   a transition that keeps trajectories short early in warm-up
//	draws.WindowRecorder      a recorder that is told how warm-up chose the metric
//	draws.CoordinateRecorder  a recorder that is told the coordinates that warm-up learned
//	draws.Discarder           a recorder that goes away without a trace if the run never began
//
// # The dynamics
//
// A position x is given a momentum p, drawn from N(0, W^-1), and both follow the flow of
//
//	H(x, p) = -log density(x) + p'W p/2
//
// which preserves H and volume, so a long move is still likely to be accepted (Neal 2011). The
// leapfrog integrator is also reversible and volume-preserving. Its error in H is corrected by
// accepting or choosing states in proportion to exp(-H).
//
// W, the inverse metric, should be close to the covariance of the target. In its units the target
// is round, and one step size suits all directions.
//
// # Warm-up
//
// The step size is tuned by dual averaging (Nesterov 2009; Hoffman and Gelman 2014) towards a mean
// acceptance of Settings.TargetAccept. The metric is set at the end of each of a series of growing
// windows. By default
//
//   - the metric is the geometric mean of the covariance of the draws and the inverse covariance of
//     their gradients, which minimises the Fisher divergence from a standard normal (Seyboldt,
//     Carlson and Carpenter 2026): a full matrix up to 16 dimensions, one of low rank above. For a
//     normal target it is exact once there are more draws than dimensions, wherever they lie, so
//     windows begin after 10 transitions;
//   - in the last two windows and after them, once 20 large updates have found roughly the right
//     step size, dual averaging goes on with updates a tenth as large (Gamma is 0.5; Stan's is
//     0.05). The mean acceptance then matches its target, and chains agree on their step sizes;
//   - where the step is too long for parts of the posterior, trajectories reach energy errors above
//     7. If one step suits the whole posterior, about 1 in 200 do. Unless TargetAccept is given,
//     the target after the last window is raised when more than 1 in 100 do: to 0.9 at 2 in 100 and
//     0.95 at 4 in 100;
//   - trajectories double at most 6 times until the windows shorter than 100 have ended. With a
//     poor metric, longer ones teach no more about the metric than short ones;
//   - a chain that leaves a minor mode late has draws from two places in one window. The second
//     half alone then sets the metric, provided it has at least 10 draws per dimension and the
//     metric of the whole window has more than 1.3 times its Fisher divergence there;
//   - the acceptance statistic treats rises and falls in energy alike. Stan's gives a fall the same
//     score as no change, and so accepts more often than its target;
//   - a last window too short to estimate from is merged into the one before. Even a warm-up of
//     only 20 transitions has a window.
//
// A metric with correlations is estimated as W = S (I + U'LU) S: S is diagonal, and the rows of U
// are the strongest directions of the draws and the gradients of a window, in the units of S. S
// begins as the diagonal Fisher metric. It is re-estimated up to three times from the draws and
// gradients with the directions projected out. Without this, one direction of large variance, spread
// over all coordinates, spoils the scale of each.
//
// The window itself decides how many directions to use. Each number (0, 1, 2, 4, …) is fitted to the
// first two thirds of the window and judged on the last third. Up to 16 dimensions, and for a dense
// metric that was asked for, the least Fisher divergence wins,
//
//	mean of g'Wg + x'W^-1 x,
//
// or all directions, if there are ten times as many draws as dimensions. In more dimensions the
// cheapest metric wins: what counts is the number of gradients that an effective draw takes, times
// the cost of a gradient and of a step, in multiplications. A trajectory crosses the longest
// direction in steps that suit the shortest one. So the number of gradients is the root of the
// largest mean square of a draw along any direction, times that of a gradient, in the units of W. A
// target may tell its own cost (Costed). A larger number of directions must be cheaper by more than
// the standard error of this promise. No clock takes part.
//
// The directions are found by block Krylov iteration, not all of them but twice as many as are tried
// next. A metric of rank 0 is stored as a diagonal one, and a step with k directions costs O(dk). A
// low-rank metric leaves out directions with an eigenvalue of L between 1/1.25 and 1.25. A chain's
// Windows record what was tried and chosen.
//
// # A warm-up that ends itself
//
// Unless Adapt.Fixed is set, the chains of a run share a warm-up of 150 transitions or more, and
// Warmup is only its limit. All chains pause at the ends of the windows: after 20, 40 and 80
// transitions, and then after windows that grow by a half.
//
//   - Chains in one place pool their draws and gradients and get one metric. A chain is elsewhere if
//     its mean is far off and no gradient pulls it back, or if the pooled metric suits its own draws
//     much worse than a metric of its own. It then keeps its own.
//   - A chain all of whose log densities lie below those of most chains, and rise, gets the metric
//     and the step size of the others. If it is the only one of four or more, still rises below all
//     of them two windows later, and the others agree, it is moved to a draw of another chain, once.
//     The record keeps where it was (MovedFrom), and the summary warns.
//   - The windows end when no chain lags or is elsewhere, no log density rises, means and step sizes
//     agree, the draws are as many as the dimensions, and the new metric promises no fewer gradients
//     than the last one, to within a tenth and two standard errors. Chains that were apart must
//     agree for as long as it took them: chains that wander between modes are now and then in one.
//   - Chains that were in another mode in a window and left it say where they were (LeftFrom), and the summary warns:
//     no diagnostic of the draws can show it.
//   - Trajectories have at most 63 steps while the metric still improves by half, or does badly on
//     pairs held out because it is made of few, for half of the warm-up at most.
//   - The step size is then tuned for 50 transitions, for longer if trajectories with large energy
//     errors must be counted more exactly, and is the mean over the chains. Where the windows ended
//     because the last two metrics promise the same, and no trajectory lost much energy, tuning goes on with
//     small updates from the mean that the chains had with the last metric: large updates would leave it
//     shorter than the target asks for.
//   - A chain begins far away if its first step changes the log density a hundred times more than
//     steps do where chains stay. Its transitions are then those of Method.Far (in nuts, steps of
//     changing size) until its log density stops rising, for 100 transitions at most.
//
// What is saved is never turned into more draws. The record says when and why the windows ended
// (Chain.Warmup, Chain.WarmupEnded). A failed chain leaves the others to finish; if it is resumed
// later, it warms up alone. A checkpoint never holds chains on different sides of a pause.
//
// A target that is a [Reparametrizer] has several systems of coordinates. At the ends of windows of 20
// transitions and more, all chains change to the coordinates that the target learns from 128 of the
// latest draws and gradients of the chains in one place. The pooled draws and gradients are carried to
// the new coordinates, and the metric is estimated there. The warm-up goes on for another window after
// a change, so that step sizes and metric are tested in the coordinates of sampling. At the limit nothing
// changes. A warm-up of fixed length does the same, but a chain carries the draws of one window only.
// Package model learns in this way how far to centre group effects.
//
// Adapt.StanWarmup asks for Stan's warm-up to the letter instead.
//
// # Random numbers
//
// Chain c of a run draws from a stream that depends on Settings.Seed and c alone. The same seed
// makes the same draws to the last bit, however many chains run at once. With Adapt.Fixed or a
// warm-up too short to share, it does so however many chains there are. So does a run
// that is stopped and resumed from its checkpoint. When its context ends, a run stops before the
// next gradient. The unfinished transition is repeated with the same random numbers when the run
// resumes.
//
// # What goes wrong
//
// Random starting points with an astronomically lower log density than others are redrawn, because
// a chain hardly moves from there. Log densities of NaN or -Inf met on the way are divergences,
// counted with their reasons. Four things end a chain with a one-line error: a density of +Inf, a
// panic, a gradient that does not match the density, and an unusable initial point. The other
// chains finish, and the partial run is returned together with the error. The package never prints
// or exits.
package hmc
