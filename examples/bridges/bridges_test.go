// Package bridges_test runs the scripts that call bkesample from R and Python.
package bridges_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"bayeskernel/internal/long"
)

// inR and inPython call several commands and stop if what they return is not as it should be.
const (
	inR = `
source("bkesample.R")
f <- function(...) bkesample(..., program = PROGRAM)
a <- data.frame(x = sin(1:40), y = cos((1:40)^2)); b <- data.frame(x = sin(1:30) + 2, y = cos((1:30)^2))
t <- f("twosample", list(before = a, after = b), "-permutations", 199)
stopifnot(is.data.frame(t), t$column == c("x", "y"), t$p[1] == 0.005, attr(t, "all")$samples[[2]]$name == "after")
s <- f("sample", list(a["x"], b["x"]), "-iter", 60, "-chains", 2)
stopifnot(s$name == c("theta", "tau2"), s$mean > 0,
          length(attr(s, "all")$pictures[[1]]$draws$samples[[2]]$values) == 30)
i <- f("independence", data.frame(u = a$x, v = a$x^2), "-x", "u", "-y", "v", "-permutations", 199)
stopifnot(nrow(i) == 1, i$p == 0.005, i$reject)
e <- tryCatch(f("sample", a, "-chains", "four"), error = conditionMessage)
stopifnot(grepl("want a whole number", e, fixed = TRUE))
cat("done\n")`
	inPython = `
import math
import pandas as pd
from bkesample import bkesample
f = lambda *a: bkesample(*a, program=PROGRAM)
a = pd.DataFrame({"x": [math.sin(i) for i in range(40)], "y": [math.cos(i * i) for i in range(40)]})
b = pd.DataFrame({"x": [math.sin(i) + 2 for i in range(30)], "y": [math.cos(i * i) for i in range(30)]})
t = f("twosample", {"before": a, "after": b}, "-permutations", 199)
assert list(t.column) == ["x", "y"] and t.p[0] == 0.005 and t.attrs["all"]["samples"][1]["name"] == "after"
s = f("sample", {"P": a[["x"]], "Q": b[["x"]]}, "-iter", 60, "-chains", 2)
assert list(s.name) == ["theta", "tau2"] and (s["mean"] > 0).all()
assert len(s.attrs["all"]["pictures"][0]["draws"]["samples"][1]["values"]) == 30
i = f("independence", pd.DataFrame({"u": a.x, "v": a.x ** 2}), "-x", "u", "-y", "v", "-permutations", 199)
assert len(i) == 1 and i.p[0] == 0.005 and i.reject[0]
try:
    f("sample", a, "-chains", "four")
    raise SystemExit("a wrong flag is taken")
except RuntimeError as e:
    assert "want a whole number" in str(e)
print("done")`
)

// python is the interpreter that has pandas: the first on the path, or that of the system.
func python() string {
	if exec.Command("python3", "-c", "import pandas").Run() == nil {
		return "python3"
	}
	return "/usr/bin/python3"
}

func TestBridges(t *testing.T) {
	long.Skip(t)
	program := filepath.Join(t.TempDir(), "bkesample")
	built := false
	for _, c := range []struct {
		name, needs, script string
		command             []string // the last but one runs a line, which comes last
	}{
		{"R", `stopifnot(requireNamespace("jsonlite"))`, "PROGRAM <- '%'\n" + inR, []string{"Rscript", "-e"}},
		{"Python", "import pandas", "PROGRAM = '%'\n" + inPython, []string{python(), "-c"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := func(line string) (string, error) {
				cmd := exec.Command(c.command[0], c.command[1], line)
				cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
				out, err := cmd.CombinedOutput()
				return string(out), err
			}
			if _, err := run(c.needs); err != nil {
				t.Skip("not at hand, or without the package it needs")
			}
			if !built {
				if out, err := exec.Command("go", "build", "-o", program, "../../cmd/bkesample").CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				built = true
			}
			out, err := run(strings.ReplaceAll(c.script, "%", program))
			if err != nil || !strings.HasSuffix(strings.TrimSpace(out), "done") {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}
