package hmc

// The constants of the warm-up, with what each was measured on. A constant that names no measurement was set
// by the reasoning given and not varied by itself; the studies in examples/scoreboard, metric, disagree and
// centring measured all of them together.
//
// Where three figures are given, the constant alone was varied: they are effective draws per 1000 gradients, the
// smaller of bulk and tail, on normals in 7 and 40 dimensions of unequal scales and on eight_schools_noncentered, 100,
// 20 and 40 runs (seeds from 610001, standard errors of about 1%, 1.5% and 2.5%). With all as below they are 143, 60.6
// and 26.8.
const (
	// autoDense is the largest dimension at which AutoMetric estimates a full matrix. A step with
	// one then costs at most twice as much as with a diagonal, and no trial is worth its noise.
	autoDense = 16
	// plenty is the number of pairs per dimension that is enough to keep all directions of a full
	// matrix without a trial.
	plenty = 10
	// enoughRises is how many times in a row a larger rank must do worse before the search for a
	// rank stops. Larger ranks cost the most, and fit noise.
	enoughRises = 3
	// mostRounds is the largest number of times that the diagonal is re-estimated.
	mostRounds = 3
	// firstDirections is how many directions the search for a rank begins with.
	firstDirections = 8
	// pairsPerDirection is how many pairs each direction of a low rank needs. On a run of spiked500
	// (examples/metric) most of the cost of early windows went into larger ranks, none of them chosen.
	pairsPerDirection = 4
	// standsOut is the number of standard errors by which a direction must stand out from the rest
	// for the search for a rank to go on beyond it. By reasoning: with 2, chance lets one of the dozens
	// compared stand out.
	standsOut = 4
	// krylovPowers is how many blocks the search for directions goes on.
	krylovPowers = 3
	// newDirections is how many random directions are tried beside those known, by reasoning.
	newDirections = 4
	// leastRatio is the smallest ratio of eigenvalues that rounding leaves any meaning.
	leastRatio = 1e-15
	// poor is the Fisher divergence per draw and dimension, 2 being perfect, above which all
	// directions are tried at once: those of an ill-conditioned target do nothing one by one.
	poor = 10
	// sameScore is the difference in log cost below which another diagonal is no improvement.
	sameScore = 0.02
	// stepCost is the cost per dimension of a step of the sampler with a diagonal metric, in
	// multiplications. Steps of 4500 ns and 11,100 ns with rank 0 and 10 in 1000 dimensions say 7,
	// steps of 47,000 ns with rank 100 say 11.
	stepCost = 10
	// nearOne is how close to 1 the eigenvalue of a direction must be for a low-rank metric to leave
	// it out: within a factor of 1.25, it is not worth its cost.
	nearOne = 0.25
	// gradientCost is the cost per dimension of an evaluation of a target that does not declare it.
	gradientCost = 30
)

// Of the warm-up that chains share.
const (
	// leastShared is the limit below which a warm-up is not shared.
	leastShared = 150
	// The windows begin after sharedStart transitions with one of firstWindow. They double until
	// sharedDoubling and grow by a half from then on. A firstWindow of 20: 125, 54.6, 25.1.
	sharedStart, firstWindow, sharedDoubling = 10, 10, 80
	// sharedKept is the length of a window from which its pairs serve the next one too. 80 changes none of the figures.
	sharedKept = 40
	// sharedCalm is the transition from which the step size is tuned with small updates and broken
	// transitions count. sharedEarly is where trajectories may first be of any length.
	sharedCalm, sharedEarly = 40, 80
	// sharedLeast is the number of transitions before the windows may end. 40: 144, 61.3, 25.8; 120: 135, 59.6,
	// 26.6. By reasoning the longer of the first two: what ends early has seen less of chains that are apart.
	sharedLeast = 80
	// The step size is tuned for tuningLength transitions, and for retuningLength more if the target
	// acceptance is raised by sameTarget or more. sharedTail is kept free for both. A tuningLength of 25: 146, 61.5,
	// 25.6; 100: 140, 58.9, 26.5.
	tuningLength, retuningLength, sharedTail = 50, 50, 100
	sameTarget                               = 0.01
	// enoughCalm is the number of transitions that tell how often trajectories lose energy.
	enoughCalm = 500
	// stepsAgree is the largest ratio of chains' step sizes to their mean. 1.3 and 2.5 change at most the third
	// figure, by 1%.
	stepsAgree = 1.6
	// sameMetric is the largest promised gain of another metric, beside two standard errors, for which
	// warm-up does not go on. 1.03 and 1.3 change at most the third figure, by less than 1%: that two standard
	// errors pass is what counts.
	sameMetric = 1.1
	// poorMetric is the promised gain of another metric above which trajectories stay short. They do so too while
	// a metric made of fewer than plenty of pairs has a divergence above poor on others: on one of three
	// runs of rotated50 (examples/scoreboard) a window of long ones took 35,000 gradients a chain.
	poorMetric = 1.5
	// A chain is far away at its start if a step changes the density farStart times more than it
	// does where chains stay. It is no longer far once its log density stops rising, or after
	// farMost transitions.
	farStart, farMost = 100, 100
	// farPlace is the least squared distance, in units of the final metric, of another mode, beside what chance
	// explains in the shortest window: four standard deviations.
	farPlace = 16
	// powerSteps is the number of steps of the power method that compares metrics.
	powerSteps = 10
)

// A transition is broken if its energy error exceeds broken: the state then has less than a
// thousandth of the weight of the first. If one step size suits the whole posterior, at most one in
// two hundred transitions is broken at a mean acceptance of 0.8. If the step is too long in places,
// one in fifty to one in twenty is, and now and then one diverges.
const broken = 7

// earlyDoublings bounds trajectories to 63 steps during windows shorter than lasting. With an early
// metric they could take a thousand steps; short ones reach the next metric sooner. With 5: 159, 65.8, 25.4;
// with 8: 98, 43.9, 27.2. Whether 5 is better for targets that are hard to reach was not measured.
const earlyDoublings = 6

// fewUpdates is the number of updates after which the average of dual averaging is reliable. The
// first updates try steps far too long to be stable.
const fewUpdates = 5

// The step size is tuned with large updates at first. They correct a wrong step size quickly and
// help a chain away from its starting point. Near the end of warm-up they only blur the result.
// Acceptance is a concave function of the log step size, so the average of widely scattered values
// accepts more often than the target. From the last two windows on, tuning therefore continues from
// that average with updates a tenth as large. On a normal in 7 dimensions (400 runs from seed 500001) a calm of 0.25,
// 0.5 and 1 gave 142, 144 and 140 effective draws per 1000 gradients.
const (
	hasty  = 0.05 // Gamma of dual averaging, Stan's
	calm   = 0.5
	trying = 20 // large updates before the small ones
)

// elsewhere is the largest ratio of the divergence of a metric to the divergence of one fitted to
// the same pairs, for a chain that stays in one place. There the excess is at most a tenth; across
// or between modes it is a half or more.
const elsewhere = 1.3

// shortest is the length of warm-up below which no metric is adapted.
const shortest = 20

// lasting is the window length at which a chain is taken to have found the posterior. From then on
// the next window may use its draws too, and trajectories may be of any length.
const lasting = 100

// longestStep is where the search for a step size ends: a density that has not fallen off there never
// does. (Stan's 1e7 refuses a normal of sd 1e9.)
const longestStep = 1e100

// leastVariance is the variance, in units of the diagonal metric, below which a direction is
// rounding.
const leastVariance = 1e-10

// fisherRidge is added to the diagonal of the scaled covariances, as in nuts-rs (0.18).
const fisherRidge = 1e-5

// Pairs of draws and gradients that a chain keeps for its metric: manyPairs in few dimensions, then as many
// as pairNumbers allows but at least usualPairs, and in thousands of dimensions as many as mostPairNumbers
// allows (16 MB with their gradients), but at least fewestPairs. On independent normals with d = 10,000, four
// chains that kept 300 pairs took 528 MB; now they take 276 MB.
const (
	manyPairs, usualPairs, fewestPairs = 1000, 300, 100
	pairNumbers, mostPairNumbers       = 1 << 18, 1 << 20
)

// Of coordinates that are learned.
const (
	// learning is the number of transitions of a window from which coordinates are learned. Shorter
	// windows say too little, and their draws are still on the way to the posterior.
	learning = 20
	// learnFrom is the number of pairs, of all chains together, from which coordinates are learned. By
	// reasoning: a degree of centring needs far fewer, and each costs an evaluation of the transforms.
	learnFrom = 128
	// mostNumbers bounds the numbers of a window's pairs that a chain keeps to learn coordinates from (64 MB
	// with their gradients).
	mostNumbers = 1 << 22
)
