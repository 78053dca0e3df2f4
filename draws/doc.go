// Package draws holds what a sampler leaves behind, says what it is worth, and keeps it in files
// that other programs read.
//
// A [Run] is a plain value: names, and per chain the draws, the statistics of every transition, the
// metric, the divergences. Samplers fill it; everything here is computed from it.
//
// # What the draws say
//
// [Run.Summary] estimates each parameter's mean, standard deviation and the 5%, 50% and 95%
// quantiles, each with its Monte Carlo standard error (MCSE): the standard deviation that the
// estimate would have if the run were repeated with other seeds. Of n draws of an autocorrelated
// chain the mean has the MCSE
//
//	sd / sqrt(ESS),   ESS = n / (1 + 2 Σ ρ_t),
//
// where ρ_t is the autocorrelation at lag t. R-hat compares chains with each other:
//
//	R-hat = sqrt(((n-1)/n W + B/n) / W),
//
// W the variance within chains and B/n that of their means. Both are taken of split chains and
// normal scores, so that they are defined without moments (Vehtari, Gelman, Simpson, Carpenter and
// Bürkner 2021, "Rank-normalization, folding, and localization: an improved R-hat"); package
// diagnostics has the details.
//
// Those formulas need chains of equal length. After a failure or an interrupt chains differ, and
// then they are cut to the length n that keeps most draws in all, n times the number of chains that
// have n. Shorter chains are left out, and the summary says which.
//
// [Columns] lists the statistics, once for the table and the JSON. A summary prints as a table with
// its warnings; a run prints as a table of its chains.
//
// # What the numbers do not say
//
// [Run.Warnings] lists what may make the summary wrong. A [Warning] is data, for a program to act
// on, and three sentences for people: the number beside its threshold, what follows, what to do.
//
//	failed_chains   a chain ended with an error of its own
//	interrupted     the run was interrupted
//	error           the run ended with an error that is no chain's own
//	stopped         a stopping rule ended the run before its plan, or was not met at its end
//	non_finite      values that are NaN or infinite
//	constant        a parameter that never varies
//	missed_mode     a mode of 1% of the mass or more with less than a tenth of its share of draws
//	separate_modes  chains that stay in different places and never meet
//	divergences     trajectories that left the energy surface: any (Betancourt 2017, section 6.2)
//	rhat            above 1.01, or what good draws of so short a run exceed once in 1000 runs
//	ebfmi           below 0.3 in a chain (Betancourt 2016)
//	ess_bulk        below 100 per chain
//	ess_tail        below 100 per chain
//	ess_capped      at the largest value that the estimate can take
//	heavy_tails     Pareto k above min(0.7, 1 - 1/log10 S) (Vehtari et al. 2024)
//	tree_depth      trajectories cut short by the limit on their length: any
//	metric          a kind of metric was asked for that warm-up did not come to
//	few_draws       fewer than 6 draws per chain, too few for any diagnostic
//	no_draws        none
//
// Agreement of the chains proves little where there are several modes: four chains in the same mode
// have an R-hat of 1.00. Only a search for modes from many starting points, kept in Run.Modes, can
// tell. Draws are assigned to the nearest of its modes, by Euclidean distance in units of the
// parameters' standard deviations; the shares of the draws are then compared with the modes' masses
// by Laplace's approximation
//
//	∫ exp f ≈ exp(f(x̂)) (2π)^(d/2) det(-∇²f(x̂))^(-1/2).
//
// Without such a search the summary carries a note that none was made.
//
// # Files
//
// Two packages below write runs for other programs. CmdStan's CSV (package cmdstan), one file per
// chain, can be written while a chain runs, by a [Recorder], or afterwards; rstan, cmdstanr,
// cmdstanpy, ArviZ and stansummary read it, and it can be read back. Zarr (package zarr) is for
// xarray and ArviZ and keeps more: divergences, metrics, settings, predictions. Package format has
// both behind one interface, for programs that choose a format by its name. JSON
// ([WriteSummary]) has the summary and the warnings, and null for what is undefined. All of them say
// how each window of warm-up chose the metric.
//
// Every file appears under its name when it is complete, and not before. Until then ".part" is
// appended to the name.
package draws
