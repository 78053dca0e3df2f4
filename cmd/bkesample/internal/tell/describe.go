package tell

// descriptions say what is under each key of summary.json, by the type that has it; under "" is what
// several types share.
var descriptions = map[string]map[string]string{
	"": {
		"schema_version": "The version of this schema.",
		"command":        "The command that wrote the file.",
		"seed":           "The seed of all random numbers.",
		"verdict":        "What was found, in sentences, the finding first.",
		"notes":          "What to keep in mind although nothing is wrong, in sentences.",
		"warnings":       "What is wrong with the draws, the model or the fit.",
		"theta_interval": "The honest interval of the lengthscale; null where there is none.",
		"model":          "The data and the model of the kernel.",
		"modes":          "The modes that were found, the highest first.",
		"test":           "The test of two samples that leads; null for one sample.",
		"where": "Where one sample has more, by a band that holds everywhere at once: for one column, " +
			"in its units. Empty if no interval can be named.",
		"places": "Points at which one sample has more: for more than one column. Empty if none can be " +
			"named.",
		"by_column": "The test of each column alone: for three columns and more.",
		"pairs":     "The pairs of columns that differ most: for three columns and more.",
		"weights":   "The weights of the rows; not there without -weights.",
		"source":    "The files, in words.",
		"columns":   "The names of the columns that are data.",
		"samples":   "The samples, P before Q.",
		"alpha":     "The level of the test.",
		"reject":    "Whether the null hypothesis is rejected.",
		"p":         "The p-value.",
		"theta":     "The lengthscales, in the units in which the kernel works.",
		"kernel":    "The radial kernel, as -kernel names it.",
		"tau2":      "The variance tau2 of the prior of the embedding.",
		"bayes":     "The Bayes factor; not there without -bayes.",
		"eta":       "The scale eta of nu; 0 where it is not used.",
		"parameter": "The name of the hyperparameter.",
	},
	"tell.Summary": {
		"partial":          "Whether the run was stopped before its end.",
		"parameters_given": "What the parameters, the draws and -verify are conditional on.",
		"parameters":       "The posterior of each hyperparameter, from the draws.",
		"sampler":          "The settings of the sampler.",
		"stopped":          "Why the run ended early; empty if it did not.",
		"draws":            "The number of draws of each chain that is used.",
		"chains":           "What each chain did.",
		"prior_influence":  "How much the priors, rather than the data, decide.",
		"witness":          "The function that is shown; null if there is none.",
		"verify":           "The draws against quadrature; only with -verify.",
		"sensitivity":      "What other choices lead to; only with -sensitivity.",
	},
	"compare.TestRecord": {
		"statistic":    "The test statistic.",
		"kernels":      "The kernels of the test.",
		"permutations": "The number of permutations; 0 where another null distribution was used.",
	},
	"compare.KernelRecord": {
		"theta": "The lengthscale, in the units in which the kernel works; null where there is none.",
	},
	"compare.Interval": {
		"from": "The left end.",
		"to":   "The right end.",
		"more": "The sample of which there is more, by its name in samples.",
	},
	"compare.Place": {
		"columns": "The columns of the point.",
		"at":      "The point, in the units of the columns.",
		"more":    "The sample of which there is more, by its name in samples.",
	},
	"compare.ColumnRecord": {
		"column":   "The name of the column.",
		"p_holm":   "The p-value corrected for the number of columns by Holm's method.",
		"shift":    "The difference of the means over the root of the mean of the two variances.",
		"shift_se": "The standard error of shift, without that of the variances.",
	},
	"compare.PairRecord": {
		"columns":  "The two columns.",
		"strength": "How many posterior standard deviations from 0 the witness of the two is at most.",
	},
	"tell.Interval": {
		"from":         "The lower end.",
		"to":           "The upper end.",
		"level":        "The probability that the interval is to have.",
		"temper":       "The power of the pseudolikelihood, at most 1, that gives the right spread.",
		"sd_sandwich":  "The standard deviation of log theta by the sandwich formula.",
		"sd_jackknife": "The same by a jackknife over ten groups of rows.",
		"sd_seeds":     "The same over other pseudo-inputs; 0 where these have no seed.",
	},
	"tell.WeightsSummary": {
		"column":         "The column of the weights.",
		"effective_rows": "The effective number of rows of each sample, 1/sum w².",
	},
	"tell.sample": {
		"name": "What the sample is called.",
		"rows": "The number of its rows.",
	},
	"tell.witnessSummary": {
		"kind":                 "witness for two samples, embedding for one.",
		"scale":                "The scale at which it is drawn: test, other or paper.",
		"theta":                "The lengthscales at which it is drawn: geometric means over the draws.",
		"rung":                 "The lengthscale over the one that was sampled; 0 if none was sampled.",
		"noise":                "The noise of the observed embeddings: clt or iid.",
		"level":                "The level of the band at each point.",
		"points":               "The number of points at which it is drawn.",
		"functions":            "The number of functions that were drawn from the posterior.",
		"share_excluding_zero": "The share of the points at which the band of each point excludes 0.",
		"simultaneous_level":   "The level of the band that holds at all points at once.",
		"mmd2":                 "The posterior of the squared norm of the witness.",
		"strongest":            "Where the witness is furthest from 0; null if there is no such place.",
	},
	"tell.mmd2Record": {
		"mean": "The mean.", "q05": "The 5% quantile.", "q50": "The median.",
		"q95": "The 95% quantile.",
	},
	"tell.strongPoint": {
		"at":   "The point, in the units of the columns.",
		"more": "The sample of which there is more there, by its name in samples.",
		"sds":  "How many posterior standard deviations from 0 the witness is there.",
	},
}

func init() {
	for _, more := range []map[string]map[string]string{modelDescriptions, testDescriptions,
		causalDescriptions, noveltyDescriptions} {
		for of, keys := range more {
			descriptions[of] = keys
		}
	}
}
