package house

import (
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "bayeskernel"

// imports returns, for each package of the module, those it imports, its tests left out.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil && path != root {
			return filepath.SkipDir // a module of its own
		}
		p, err := build.ImportDir(path, 0)
		if err != nil {
			return nil // no Go files
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		for _, i := range p.Imports {
			if rest, ok := strings.CutPrefix(i, module+"/"); ok {
				out[filepath.ToSlash(rel)] = append(out[filepath.ToSlash(rel)], rest)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// reach returns everything that a package imports, directly or not.
func reach(all map[string][]string, pkg string, seen map[string]bool) {
	for _, p := range all[pkg] {
		if !seen[p] {
			seen[p] = true
			reach(all, p, seen)
		}
	}
}

// within reports whether a package is below one of the folders.
func within(pkg string, folders []string) bool {
	return slices.ContainsFunc(folders, func(f string) bool {
		return pkg == f || strings.HasPrefix(pkg, f+"/")
	})
}

func TestImportsPointOneWay(t *testing.T) {
	all := imports(t)
	if len(all) < 20 {
		t.Fatalf("found %d packages", len(all))
	}
	samplers := []string{"hmc", "nuts", "draws", "modes", "temper", "calibration"}
	answers := []string{"embedding", "kerneltest"}
	above := append([]string{"compare"}, answers...) // what needs a run besides
	const room, commands = "cmd/internal/", "cmd/bkesample/internal/"
	folders := []string{} // of commands, which do not know one another
	for pkg := range all {
		if rest, ok := strings.CutPrefix(pkg, commands); ok && !slices.Contains([]string{"study", "tests"}, rest) {
			folders = append(folders, pkg)
		}
	}
	for _, rule := range []struct {
		what           string
		of, but, never []string
	}{
		{"numerics know nothing above them", []string{"kernels", "internal"},
			[]string{"internal/testmodels", "internal/hyper", "internal/onepass", "internal/shards"},
			append([]string{"bke", "priors", "engine", "model", "diagnostics", "cmd", "examples"},
				append(samplers, above...)...)},
		{"distributions and diagnostics know no sampler", []string{"priors", "diagnostics"}, nil,
			append([]string{"kernels", "bke", "model"}, samplers...)},
		{"samplers know nothing of kernels", samplers, nil,
			append([]string{"kernels", "bke", "model"}, answers...)},
		{"the model knows no sampler", []string{"bke"}, []string{"bke/target"}, samplers},
		{"regression knows no sampler and no test", []string{"gp"}, []string{"gp/target"},
			append([]string{"bke", "model", "cmd"}, append(samplers, above...)...)},
		{"the Student-t knows no sampler", []string{"studentt"}, []string{"studentt/fantasy"},
			append([]string{"bke", "model", "cmd"}, append(samplers, above...)...)},
		{"the model knows no answers", []string{"bke"}, nil, append([]string{"cmd"}, above...)},
		{"answers know no sampler", answers, nil, append([]string{"bke/target", "compare"},
			samplers...)},
		{"summaries know no sampler", []string{"summary"}, nil, append([]string{"bke/target", "compare",
			"cmd", "examples"}, samplers...)},
		{"statistics know no model and no test", []string{"kerneltest/statistic"}, nil,
			append([]string{"bke", "model", "internal/permute"}, append(samplers, above...)...)},
		{"graphs know no data", []string{"causal/graph"}, nil, append([]string{"bke", "kernels",
			"internal", "cmd"}, append(samplers, above...)...)},
		{"causal learning knows no sampler", []string{"causal"}, nil, append([]string{"bke/target",
			"compare", "embedding"}, samplers...)},
		{"the engine knows formulas alone", []string{"engine"}, nil, append([]string{"model", "bke", "gp",
			"svm", "loo", "diagnostics", "cmd", "examples"}, append(samplers, above...)...)},
		{"declaring knows no test and no embedding", []string{"model"}, nil,
			append([]string{"bke", "gp", "svm", "loo", "cmd"}, above...)},
		{"cross-validation knows draws alone", []string{"loo"}, nil, append([]string{"bke", "model", "hmc",
			"nuts", "kernels", "cmd"}, above...)},
		{"machines know no sampler", []string{"svm"}, nil, append([]string{"bke/target", "model", "hmc",
			"nuts", "kerneltest", "compare", "cmd"}, "studentt")},
		{"tables know no model", []string{"frame"}, nil, append([]string{"bke", "kernels", "model", "priors",
			"diagnostics", "cmd"}, append(samplers, above...)...)},
		{"sizes know no test and no model", []string{"magnitude"}, nil, append([]string{"bke", "kernels", "model",
			"cmd", "examples"}, append(samplers, above...)...)},
		{"nothing imports a program", []string{"frame", "magnitude", "bke", "causal", "compare", "embedding", "kerneltest",
			"kernels", "model", "hmc", "nuts", "draws", "loo", "svm", "studentt", "ica", "gp"}, nil,
			[]string{"cmd", "examples"}},
		{"the console knows no statistics", []string{room + "cli"}, nil, append([]string{"bke",
			"diagnostics", "kernels", "model", "priors", room + "folder", room + "input", room + "report",
			commands[:len(commands)-1]}, append(samplers, above...)...)},
		{"rendering computes nothing", []string{room + "report"}, nil, append([]string{"bke", "kernels",
			"model", "diagnostics", room + "folder", room + "input", commands[:len(commands)-1]},
			append(samplers, above...)...)},
		{"the folder knows no data", []string{room + "folder"}, nil, append([]string{"bke", "kernels",
			room + "input", commands[:len(commands)-1]}, append(samplers, above...)...)},
		{"reading comes before running", []string{room + "input"}, nil, append([]string{"bke",
			room + "folder", commands[:len(commands)-1]}, append(samplers, above...)...)},
		{"what commands share knows none of them", []string{commands + "study", commands + "tests"}, nil,
			folders},
	} {
		for pkg := range all {
			if !within(pkg, rule.of) || within(pkg, rule.but) {
				continue
			}
			seen := map[string]bool{}
			reach(all, pkg, seen)
			for p := range seen {
				if within(p, rule.never) && p != "internal/shown" { // which knows of letters alone
					t.Errorf("%s: %s imports %s", rule.what, pkg, p)
				}
			}
		}
	}
	for _, pkg := range folders {
		for _, p := range all[pkg] {
			if slices.Contains(folders, p) {
				t.Errorf("a command is a folder: %s imports %s", pkg, p)
			}
		}
	}
}
