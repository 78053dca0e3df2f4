package cmdstan

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"bayeskernel/draws"
)

// statNames are the columns that CmdStan puts before the parameters.
var statNames = [...]string{"lp__", "accept_stat__", "stepsize__", "treedepth__", "n_leapfrog__",
	"divergent__", "energy__"}

// ownPrefix marks the settings that CmdStan has no name for.
const ownPrefix = "bayeskernel_"

// header is the part of a CmdStan file before the draws.
type header struct {
	run     *draws.Run
	sampler draws.Sampler
	chain   int // from 0
	columns []column
	words   bool
	given   []string // the comments of the head, in the place of those made here
}

// append writes the header with the given numbers of transitions.
func (h *header) append(b []byte, warmup, draws int) []byte {
	s := h.sampler
	if h.given != nil {
		return h.appendColumns(appendComments(b, h.given))
	}
	// The version is that of the CmdStan whose spelling of booleans the file follows.
	minor, truth := 34, func(t bool) string { return map[bool]string{true: "1", false: "0"}[t] }
	if h.words {
		minor, truth = 35, strconv.FormatBool
	}
	b = fmt.Appendf(b, "# stan_version_major = 2\n# stan_version_minor = %d\n"+
		"# stan_version_patch = 0\n# model = %s\n# method = sample\n#   sample\n"+
		"#     num_samples = %d\n#     num_warmup = %d\n#     save_warmup = %s\n#     thin = %d\n",
		minor, modelName(h.run.Model), draws, warmup, truth(s.SaveWarmup), s.Thin)
	b = fmt.Appendf(b, "#     adapt\n#       engaged = %s\n#       gamma = %v\n#       delta = %v\n"+
		"#       kappa = %v\n#       t0 = %v\n#       init_buffer = %d\n#       term_buffer = %d\n"+
		"#       window = %d\n", truth(s.Warmup > 0), s.Gamma, s.TargetAccept, s.Kappa, s.T0,
		s.InitBuffer, s.TermBuffer, s.Window)
	b = append(b, "#     algorithm = hmc\n#       hmc\n"...)
	if s.Algorithm == "hmc" {
		// Stan's static sampler has no tree depth, but some readers insist on a limit.
		b = fmt.Appendf(b, "#         engine = static\n#           static\n"+
			"#             int_time = %v\n#             max_depth = 10\n", s.PathLength)
	} else {
		b = fmt.Appendf(b, "#         engine = nuts\n#           nuts\n"+
			"#             max_depth = %d\n", s.MaxDepth)
	}
	b = fmt.Appendf(b, "#         metric = %s\n#         stepsize_jitter = %v\n#     num_chains = 1\n"+
		"# id = %d\n# init = %v\n# random\n#   seed = %d\n",
		s.Metric, s.Jitter, h.chain+1, s.InitRadius, h.run.Seed)
	return h.appendColumns(h.appendOwn(b))
}

// appendOwn writes comments that only this package reads: settings that CmdStan does not have, and
// the names and the model if they cannot be recovered from the file's spelling.
func (h *header) appendOwn(b []byte) []byte {
	own := func(key, value string) { b = fmt.Appendf(b, "# %s%s = %s\n", ownPrefix, key, value) }
	if modelName(h.run.Model) != h.run.Model {
		own("model", escape(h.run.Model))
	}
	for _, kv := range [][2]string{{"estimator", h.sampler.Estimator}, {"source", h.sampler.Source},
		{"path", h.sampler.Path}, {"asked_metric", h.sampler.AskedMetric}} {
		if kv[1] != "" {
			own(kv[0], escape(kv[1]))
		}
	}
	changed := slices.ContainsFunc(h.columns, func(c column) bool {
		return restoreName(c.name) != h.run.Names[c.col]
	})
	ordered := slices.IsSortedFunc(h.columns, func(a, b column) int { return a.col - b.col })
	if changed || !ordered {
		names := make([]string, len(h.run.Names))
		for i, n := range h.run.Names {
			names[i] = escape(n)
		}
		own("names", strings.Join(names, ","))
	}
	return b
}

func (h *header) appendColumns(b []byte) []byte {
	b = append(b, strings.Join(statNames[:], ",")...)
	for _, c := range h.columns {
		b = append(append(b, ','), c.name...)
	}
	return append(b, '\n')
}

// escape percent-encodes every character that some reader would change in a comment line.
func escape(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if asciiAlnum(rune(c)) || strings.IndexByte("_-.[]", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func unescape(s string) (string, error) { return url.PathUnescape(s) }

// modelName is a model's name as one word.
func modelName(model string) string {
	if model == "" {
		return "unnamed"
	}
	return strings.Map(func(r rune) rune {
		if asciiAlnum(r) || strings.ContainsRune("_-.", r) {
			return r
		}
		return '_'
	}, model)
}
