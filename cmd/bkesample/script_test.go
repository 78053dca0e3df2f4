package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"bayeskernel/cmd/internal/cli"
)

// Scripts are told of a rejection only if they ask.
func TestExitCode(t *testing.T) {
	files := groupFiles()
	files["far.csv"] = "x\n" + normals(30, 5)
	files["line.csv"] = "a,b\n" + strings.ReplaceAll(normals(30, 0), "\n", ",1\n")
	var pairs strings.Builder
	pairs.WriteString("a,b\n")
	for i, v := range strings.Fields(normals(30, 0)) {
		fmt.Fprintf(&pairs, "%s,%d\n", v, i)
	}
	files["pairs.csv"] = pairs.String()
	inFolder(t, files)
	for line, code := range map[string]int{
		"twosample p.csv far.csv":                                     0,
		"twosample p.csv far.csv -exit-code":                          4,
		"twosample p.csv far.csv -exit-code -quiet":                   4,
		"twosample p.csv p.csv -exit-code":                            0,
		"independence -x a -y b pairs.csv -exit-code":                 4,
		"independence -x a -y b pairs.csv":                            0,
		"twosample -label species iris.csv -drop id -exit-code":       4,
		"twosample -label species=a,b iris.csv -drop id -exit-code":   0,
		"twosample -exit-code -permutations 5 p.csv far.csv -columns": 2,
	} {
		got := call(t, "", anew(strings.Fields(line)...)...)
		if got.code != code || (code == 4 || code == 0) && got.stderr != "" {
			t.Errorf("%s: exit %d, want %d, %q", line, got.code, code, got.stderr)
		}
	}
}

// The script for bash completes commands, flags and values.
func TestCompletionOfBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	inFolder(t, nil)
	if err := os.WriteFile("script", []byte(call(t, "", "completion", "bash").stdout), 0o666); err != nil {
		t.Fatal(err)
	}
	for typed, want := range map[string]string{
		"tw":                        "twosample",
		"-zar":                      "-zarr",
		"-format ":                  "text json",
		"twosample -permu":          "-permutations",
		"twosample p.csv -choose l": "ladder learned",
		"completion z":              "zsh",
		"learn -chains":             "",
	} {
		words := strings.Split("bkesample "+typed, " ")
		script := fmt.Sprintf(`source ./script; COMP_WORDS=(%s); COMP_CWORD=%d; _bkesample; echo "${COMPREPLY[@]}"`,
			strings.ReplaceAll(strings.Join(words, " "), "-format ", "-format ''"), len(words)-1)
		out, err := exec.Command(bash, "-c", script).CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%q: %q, want %q, %v", typed, got, want, err)
		}
	}
}

// Scripts and man page have every flag of every command, and the man page is sound.
func TestScriptsAreComplete(t *testing.T) {
	texts := map[string]string{"man": call(t, "", "man").stdout}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		texts[shell] = call(t, "", "completion", shell).stdout
	}
	for _, c := range program().Commands {
		got := call(t, "", strings.Fields(strings.Replace(c.Name, "sample", "", 1)+" -h")...)
		if c.Name == "twosample" {
			got = call(t, "", "twosample", "-h")
		}
		for _, line := range strings.Split(got.stdout, "\n") {
			if !strings.HasPrefix(line, "  -") {
				continue
			}
			name := strings.Fields(line)[0]
			for shell, text := range texts {
				want := name
				switch shell {
				case "man":
					want = strings.ReplaceAll(name, "-", `\-`)
				case "fish":
					want = "-o " + name[1:]
				case "zsh":
					want = name + "["
				}
				if !strings.Contains(text, want) {
					t.Errorf("%s: no %s of %s", shell, want, c.Name)
				}
			}
		}
	}
	if groff, err := exec.LookPath("groff"); err == nil {
		cmd := exec.Command(groff, "-man", "-Tutf8", "-ww")
		cmd.Stdin = strings.NewReader(texts["man"])
		var stderr strings.Builder
		cmd.Stderr = &stderr
		if out, err := cmd.Output(); err != nil || stderr.Len() > 0 || len(out) < 10000 {
			t.Errorf("groff: %v, %d bytes, %s", err, len(out), &stderr)
		}
	}
	for _, args := range [][]string{{"completion"}, {"completion", "tcsh"}, {"man", "x"}} {
		if got := call(t, "", args...); got.code != cli.ExitUsage {
			t.Errorf("%v: exit %d", args, got.code)
		}
	}
}

// How many rows a test needs, as text and as a record, from a name and from pilots.
func TestGoldenPower(t *testing.T) {
	onGoldenMachine(t)
	inFolder(t, groupFiles())
	common := "power -force -replicates 20 -permutations 39 -choose median "
	for _, c := range []struct{ name, args string }{
		{"power", "-problem normal:shift=1 -most 80"},
		{"power_pilot", "a.csv c.csv -columns width -from 10"},
		{"power_pairs", "-x width -y length a.csv -most 40"},
	} {
		args := strings.Fields(common + c.args)
		got := call(t, "", args...)
		if got.code != 0 || got.stderr != "" {
			t.Fatalf("%s: %+v", c.args, got)
		}
		golden(t, c.name+".stdout", got.stdout)
		left := contents(t, ".")
		golden(t, c.name+".json", left["bkesample-out/power/summary.json"])
		if page := left["bkesample-out/power/report.html"]; !strings.Contains(page, "<svg") ||
			!strings.Contains(page, " for power 0.8</title>") {
			t.Errorf("%s: the page has no picture, or another title", c.name)
		}
	}
}
