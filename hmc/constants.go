package hmc

// The constants of the warm-up, with what each was measured on.
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
	// krylovPowers is how many blocks the search for directions goes on.
	krylovPowers = 3
	// sameScore is the difference in log cost below which another diagonal is no improvement.
	sameScore = 0.02
	// stepCost is the cost per dimension of a step of the sampler with a diagonal metric, in
	// multiplications. Steps of 4500 ns and 11,100 ns with rank 0 and 10 in 1000 dimensions say 7,
	// steps of 47,000 ns with rank 100 say 11.
	stepCost = 10
	// gradientCost is the cost per dimension of an evaluation of a target that does not declare it.
	gradientCost = 30
)
