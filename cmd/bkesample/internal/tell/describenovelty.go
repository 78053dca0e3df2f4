package tell

// noveltyDescriptions are those of novelty and of maps of samples.
var noveltyDescriptions = map[string]map[string]string{
	"tell.noveltySummary": {
		"samples":     "The known rows and the new ones.",
		"alpha":       "The level of the list.",
		"reject":      "Whether any row is listed.",
		"listed":      "The number of rows that are listed as novel.",
		"correction":  "The correction of the p-values for their number.",
		"smallest_p":  "The smallest p-value that so many ranked rows allow.",
		"calibration": "How p-values are made: full or split.",
		"kernel_rows": "The number of known rows that chose the kernel.",
		"fitted_rows": "The number of known rows in the model that scores are of.",
		"ranked_rows": "The number of known rows that each new row is ranked among.",
		"guarantee":   "What p and q promise, and when, in sentences.",
		"kernel":      "How the kernel was chosen.",
		"scale2":      "The scale of the Student-t's prior in the space of features.",
		"beta":        "How many rows the prior mean is worth.",
		"most_novel":  "The rows that are listed and the next ones, the most novel first.",
	},
	"tell.noveltyRow": {
		"row": "The number of the row in the second sample, from 1.",
		"score": "By how much the log density is lower than at the median known row, to six " +
			"digits.",
		"q":     "The p-value corrected for the number of rows.",
		"novel": "Whether the row is listed.",
	},
	"tell.embedSummary": {
		"samples":              "The samples, with their places in the map.",
		"distances":            "The distances of all samples, a row for each, in their order, to six digits.",
		"share_shown":          "The share of the sum of all squared distances that the map shows.",
		"share_shown_by_first": "The share that its first coordinate shows.",
		"shrink":               "How embeddings are shrunk: flexible, simple or none.",
		"landmarks":            "The number of landmarks that replace the kernel; 0 where it is exact.",
		"kernel":               "How the kernel was chosen.",
	},
	"tell.embedded": {
		"name":   "What the sample is called.",
		"rows":   "The number of its rows.",
		"lambda": "How much the embedding is shrunk; 0: not at all, null: to zero.",
		"weight": "The sum of the weights of its rows, 1 where it is not shrunk.",
		"error":  "The estimated distance of the empirical embedding from the true one.",
		"map":    "Its place in the map.",
	},
}
