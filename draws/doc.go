// Package draws holds the results of a sampler, diagnoses them, and writes them to files that other
// programs read.
//
// A [Run] is a plain value: names, and per chain the draws, the statistics of every transition, the
// metric, the divergences. Samplers fill it; everything here is computed from it.
//
// # What the draws say
//
// [Run.Summary] estimates each parameter's mean, standard deviation and the 5%, 50% and 95%
// quantiles, each with its Monte Carlo standard error (MCSE): the standard deviation of the
// estimate over repeated runs with other seeds. For n draws of an autocorrelated chain the MCSE of
// the mean is
//
//	sd / sqrt(ESS),   ESS = n / (1 + 2 Σ ρ_t),
//
// where ρ_t is the autocorrelation at lag t. R-hat compares chains with each other:
//
//	R-hat = sqrt(((n-1)/n W + B/n) / W),
//
// where W is the variance within chains and B/n the variance of their means. Both are computed from
// split chains and normal scores, so they exist even if the moments do not (Vehtari, Gelman,
// Simpson, Carpenter and Bürkner 2021, "Rank-normalization, folding, and localization: an improved
// R-hat"); package diagnostics has the details.
//
// Those formulas need chains of equal length. After a failure or an interrupt their lengths differ.
// They are then cut to the length n that keeps the most draws in total: n times the number of
// chains with at least n draws. Shorter chains are left out, and the summary says which.
//
// [Columns] lists the statistics, once for the table and the JSON. A summary prints as a table with
// its warnings; a run prints as a table of its chains.
//
// # What the numbers do not say
//
// [Run.Warnings] lists what may make the summary wrong. A [Warning] holds data for programs and
// three sentences for people: the number and its threshold, what follows from it, and what to do.
//
//	failed_chains   a chain ended with an error of its own
//	interrupted     the run was interrupted
//	error           the run ended with an error that came from no chain
//	stopped         a stopping rule was not met at the end of the run
//	non_finite      values that are NaN or infinite
//	constant        a parameter that never varies
//	missed_mode     a mode of 1% of the mass or more with less than a tenth of its share of draws
//	separate_modes  chains that stay in different places and never meet
//	divergences     trajectories that left the energy surface: any (Betancourt 2017, section 6.2)
//	rhat            above 1.01, or what 1% of sound runs exceed (diagnostics.RHatLimit)
//	ebfmi           below 0.3 in a chain (Betancourt 2016)
//	ess_bulk        below 100 per chain
//	ess_tail        below 100 per chain
//	ess_capped      at the largest value that the estimate can take
//	heavy_tails     Pareto k above min(0.7, 1 - 1/log10 S) (Vehtari et al. 2024)
//	tree_depth      trajectories cut short by the limit on their length: any
//	metric          warm-up ended before it could set the metric asked for
//	few_draws       fewer than 6 draws per chain, too few for any diagnostic
//	no_draws        none
//
// Agreement of the chains proves little where there are several modes: four chains in the same mode
// have an R-hat of 1.00. Only a search for modes from many starting points, kept in Run.Modes, can
// tell. Draws are assigned to the nearest of its modes, by Euclidean distance in units of the
// parameters' standard deviations; the shares of the draws are then compared with the masses of the
// modes by Laplace's approximation
//
//	∫ exp f ≈ exp(f(x̂)) (2π)^(d/2) det(-∇²f(x̂))^(-1/2).
//
// # Memory
//
// The draws of a run and their statistics are in memory, or, where hmc.Settings.DrawsDir asks for it, in a
// [File] for each chain: Chain.Values and Chain.Stats are nil then, and [Run.Draws], [Run.Column],
// [Chain.Each], [Chain.EachStat] and summaries read the file. What stays in memory are, of each chain, a line
// for each divergence, the positions of the first 50, and the last 64 to 1024 draws while it runs. A summary
// reads one parameter at a time for each processor. A run of 4 chains of 10,000 draws of 10,000 parameters,
// with default settings, took at most 276 MB with its summary, and 3.2 GB on disk.
//
// # Files
//
// Two packages below write runs for other programs. CmdStan's CSV (package cmdstan), one file per
// chain, can be written while a chain runs, by a [Recorder], or afterwards; rstan, cmdstanr,
// cmdstanpy, ArviZ and stansummary read it, and it can be read back. Zarr (package zarr) is for
// xarray and ArviZ and keeps more: divergences, metrics, settings, predictions. Package format
// offers both behind one interface, for programs that choose a format by name. JSON
// ([WriteSummary]) holds the summary and the warnings, with null for undefined numbers. All of them
// record how each window of warm-up chose the metric, and the coordinates that it learned, so that a run
// read back warm-starts another.
//
// A file appears under its name only when it is complete. Until then ".part" is appended to the
// name.
package draws
