package tell

// testDescriptions are those of tests, of pairs of groups and of powers.
var testDescriptions = map[string]map[string]string{
	"tell.testSummary": {
		"samples":        "The two samples, or the two variables.",
		"statistic_name": "What the statistic is.",
		"statistic":      "The test statistic.",
		"p_error":        "The Monte Carlo standard error of p.",
		"null":           "Where the null distribution comes from.",
		"permutations":   "The number of permutations; 0 where another null distribution was used.",
		"at_least":       "How many permutations had a statistic at least as extreme.",
		"stopped_early":  "Whether the test stopped before the last permutation (-stop).",
		"biased":         "The biased estimate of MMD² or HSIC.",
		"unbiased":       "The unbiased estimate of MMD² or HSIC.",
		"effect_size": "For two samples the signal in units of its own standard error; for two " +
			"variables from 0 to 1, like the square of a correlation.",
		"kernel":     "How the kernel was chosen: of the samples, or of the first variable.",
		"kernel_y":   "How the kernel of the second variable was chosen.",
		"candidates": "The kernels of the test, each with its own statistic.",
	},
	"tell.kernelRecord": {
		"rule":          "The rule that chose the lengthscales.",
		"standardized":  "Whether columns were divided by their standard deviations.",
		"column_scales": "What the columns were divided by; empty if they were not.",
		"m":             "The number of pseudo-inputs; 0 if nothing was learned.",
		"inputs":        "Where the pseudo-inputs come from; empty if nothing was learned.",
		"weight":        "The weight of the pseudolikelihood; 0 if nothing was learned.",
	},
	"tell.candidateRow": {
		"theta":     "The lengthscales of the kernel, or of the kernels of both variables.",
		"statistic": "Its statistic.",
		"p_alone":   "Its p-value if it were the only one; not corrected for the others.",
		"weight":    "Its weight in the test.",
	},
	"tell.bayesRecord": {
		"log_bf":       "The natural logarithm of the Bayes factor of a difference over sameness.",
		"probability":  "The probability that the samples differ, if it was 1/2 before.",
		"floor_log10":  "The smallest logarithm to base 10 that the Bayes factor can have with so many rows.",
		"words":        "How strong the evidence is, and for what (Kass and Raftery, 1995).",
		"paired":       "Whether rows belong together in pairs.",
		"p":            "The p-value of the Bayes factor by permutation.",
		"permutations": "The number of permutations.",
		"at_least":     "How many permutations had a Bayes factor at least as large.",
		"scale":        "The posterior of the lengthscale given a difference, in the units of the data.",
		"size": "The posterior of the prior standard deviation of the difference relative to the pooled " +
			"density, given a difference.",
		"more": "Where one sample has more given a difference, by a 95% band at each point: stretches of one " +
			"column, or the surest point of several.",
		"notes": "Warnings, in sentences.",
	},
	"tell.quantileRecord": {
		"q05":    "The 5% quantile.",
		"median": "The median.",
		"q95":    "The 95% quantile.",
	},
	"tell.bayesPlace": {
		"more": "The sample of which there is more, by its name in samples.",
		"from": "The left end, or the point.",
		"to":   "The right end, or the point.",
	},
	"tell.pairsSummary": {
		"groups":     "The groups, which are labels of rows.",
		"correction": "The correction of the p-values for their number.",
		"p":          "The smallest corrected p-value.",
		"reject":     "Whether any pair is rejected, corrected.",
		"pairs":      "The tests of all pairs of groups.",
	},
	"tell.pairSummary": {
		"samples": "The two groups.",
		"p":       "The p-value of this test alone.",
		"p_holm":  "The p-value corrected for the number of pairs by Holm's method.",
		"reject":  "Whether the pair is rejected, corrected.",
		"test":    "The test as twosample writes it.",
	},
	"tell.powerSummary": {
		"problem":      "Where the data sets were drawn from: the pilot, or a named problem.",
		"paired":       "Whether it is a test of independence, whose rows are pairs.",
		"method":       "The rule for the kernels of the test.",
		"power_wanted": "The power that was asked for.",
		"rows": "The smallest number of rows of each sample that was tried and has the power; 0 if none " +
			"has.",
		"permutations": "The number of permutations of each test.",
		"replicates":   "The number of data sets of each size.",
		"sizes":        "The power at each number of rows that was tried.",
		"pilot":        "The test of the pilot itself; not there without a pilot.",
	},
	"tell.sizePower": {
		"rows":     "The number of rows of each sample.",
		"power":    "The share of data sets in which the test rejects.",
		"from":     "The lower end of the 95% interval of the power.",
		"to":       "The upper end of the 95% interval of the power.",
		"rejected": "The number of data sets in which the test rejects.",
		"failed":   "The number of data sets that could not be tested; they count as not rejected.",
	},
}
