// Package face is a Stan program that is called as CmdStan's programs are: it takes their arguments and
// writes their files, so that scripts for CmdStan run unchanged.
//
// # What is the same
//
// The arguments with their defaults and places, the configuration at the head of each file, the columns, the
// adaptation block, the names of the files of several chains, the lines on the console, exit code 0, and 1
// for what fails. The methods sample, optimize, generate_quantities and log_prob, and the commands info and
// help. Programs without parameters are sampled by fixed_param.
//
// # What is not
//
// The sampler is NUTS of this module with a warm-up of its own. It has exactly num_warmup transitions. Their
// draws choose the metric unless metric= is given; a file shows its diagonal where readers look for one. The
// acceptance that the step size aims at rises where trajectories break, unless delta= is given. The lengths
// of windows are followed if they are given; gamma, kappa and t0 have no effect. With engaged=0 nothing
// adapts. engine=static is not supported.
//
// A chain follows from seed and id alone: chain 3 of one process has the draws of a process with id=3. The
// generated quantities of a draw follow from seed and draw.
//
// lp__ keeps all constants, which CmdStan drops for statements with ~. All three algorithms of optimize run
// L-BFGS. Numbers are written with all their digits unless sig_figs= is given. Files are complete or
// have the name of a file with .part behind it; that of a chain that was interrupted has its draws, and says in a
// comment how many there were to be. A file that is read, or that CmdStan does not write, is not replaced.
package face
