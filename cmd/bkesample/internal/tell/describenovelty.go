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
}
