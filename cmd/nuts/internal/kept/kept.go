// Package kept is what the folder of a run keeps for the commands that go on from it: what was run on which data,
// the draws, and how well each row is predicted.
package kept

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/draws"
	"bayeskernel/draws/cmdstan"
	"bayeskernel/loo"
)

// The names of the files.
const (
	recordFile = "run.json"
	rowsFile   = "loo.csv"
	drawsBase  = "draws"
	// Program is the base of the names of files with all parameters of a regression, as it was sampled.
	Program = "program"
)

// Run is what was run.
type Run struct {
	Command string `json:"command"`
	Program string `json:"program,omitempty"` // in the Stan language
	Formula string `json:"formula,omitempty"`
	Family  string `json:"family,omitempty"`
	Priors  string `json:"priors,omitempty"` // as they were given
	Levels  string `json:"levels,omitempty"`
	Missing string `json:"missing,omitempty"`
	Data    string `json:"data,omitempty"` // from the folder, with slashes; "" for none, or standard input
	SHA256  string `json:"sha256,omitempty"`
	Rows    string `json:"rows,omitempty"`  // a hash of what was observed, row by row
	Draws   int    `json:"draws,omitempty"` // that the estimates of rows rest on
	Seed    uint64 `json:"seed"`

	Chains []string `json:"chains,omitempty"`      // the names of the files of draws
	Ended  string   `json:"interrupted,omitempty"` // where the run was interrupted: after 12 of 100 draws of each chain
}

// Notes are what to keep in mind of a run.
func (r *Run) Notes() []string {
	if r.Ended == "" {
		return nil
	}
	return []string{"The run was interrupted " + r.Ended + "."}
}

// Files are those that a run of so many chains leaves in its folder dir, in which the draws are already. Data is the path of the
// data, or "". Result may be nil.
func Files(dir, data string, chains int, r Run, result *loo.Result) ([]report.File, error) {
	for _, base := range []string{drawsBase, Program} {
		for k := range chains {
			name := chainFile(base, k)
			if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
				r.Chains = append(r.Chains, name)
			}
		}
	}
	if data != "" && data != "-" {
		sum, err := hash(data)
		if err != nil {
			return nil, err
		}
		r.SHA256 = sum
		if r.Data, err = from(dir, data); err != nil {
			return nil, err
		}
	}
	if result != nil {
		r.Draws = result.Draws
	}
	out := []report.File{report.JSON(recordFile, "", r)}
	if result != nil {
		out = append(out, report.File{Name: rowsFile, What: "how well each row is predicted without it", Fill: func(w io.Writer) error {
			return writeRows(w, result)
		}})
	}
	return out, nil
}

// from is the path of a file as seen from a folder.
func from(dir, path string) (string, error) {
	a, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	b, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if rel, err := filepath.Rel(a, b); err == nil {
		return filepath.ToSlash(rel), nil
	}
	return filepath.ToSlash(b), nil // on another volume
}

func hash(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// HashRows is a hash of numbers, for Run.Rows.
func HashRows(columns ...[]float64) string {
	h := sha256.New()
	for _, c := range columns {
		for _, v := range c {
			fmt.Fprintf(h, "%v,", v)
		}
		h.Write([]byte{'\n'})
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Open reads what a folder keeps. Of a folder, or a list of files with commas, that another program wrote
// only the draws are known: then the run has no command.
func Open(path string) (*Run, error) {
	r := &Run{}
	info, err := os.Stat(first(path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: no such folder or file: want the folder of a run, or files of draws with commas between", path)
	case err != nil:
		return nil, err
	case !info.IsDir():
		return r, nil
	}
	b, err := os.ReadFile(filepath.Join(path, recordFile))
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(b, r)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(path, recordFile), err)
	}
	return r, nil
}

// OpenFolder is Open for what needs the program of a run, which files of draws do not have.
func OpenFolder(path string) (*Run, error) {
	r, err := Open(path)
	if _, gone := os.Stat(first(path)); errors.Is(gone, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no such folder: want the folder of a run of nuts", path)
	}
	return r, err
}

func first(path string) string {
	if _, err := os.Stat(path); err == nil {
		return path
	}
	path, _, _ = strings.Cut(path, ",")
	return path
}

// DataPath is the path of the data of the run in a folder. It is an error if they are not what they were.
func (r *Run) DataPath(dir string) (string, error) {
	if r.Data == "" {
		return "", fmt.Errorf("%s: the run read its data from standard input, which is gone: run it again with a file", dir)
	}
	path := filepath.FromSlash(r.Data)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	sum, err := hash(path)
	if err != nil {
		return "", err
	}
	if sum != r.SHA256 {
		return "", fmt.Errorf("%s has changed since the run in %s: run it again", path, dir)
	}
	return path, nil
}

// numbered are files of chains.
var numbered = regexp.MustCompile(`^(.*)_([0-9]+)\.csv$`)

// Paths are the files of draws of a run: of a folder those with a base and the number of a chain, or, if base
// is "", those that begin with draws, or else all that are numbered. It is an error if one is gone that the run left.
func Paths(run, base string) ([]string, error) {
	if info, err := os.Stat(first(run)); err == nil && !info.IsDir() {
		return strings.Split(run, ","), nil
	}
	r, err := Open(run)
	if err != nil {
		return nil, err
	}
	var left []string
	for _, name := range r.Chains {
		if m := numbered.FindStringSubmatch(name); m != nil && m[1] == cmp.Or(base, drawsBase) {
			left = append(left, filepath.Join(run, name))
		}
	}
	for _, path := range left {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s is gone, one of %s that the run left: put it back, or run it again", path,
				cli.Plural(len(left), "file"))
		}
	}
	if len(left) > 0 {
		return left, nil
	}
	entries, err := os.ReadDir(run)
	if err != nil {
		return nil, err
	}
	of := map[string][]string{}
	for _, e := range entries {
		if m := numbered.FindStringSubmatch(e.Name()); m != nil {
			of[m[1]] = append(of[m[1]], e.Name())
		}
	}
	if base == "" {
		base = drawsBase
		if len(of[base]) == 0 && len(of) == 1 {
			for b := range of {
				base = b
			}
		}
	}
	list := of[base]
	if len(list) == 0 {
		return nil, fmt.Errorf("%s holds no files of draws: want the folder of a finished run", run)
	}
	slices.SortFunc(list, func(a, b string) int {
		return number(a) - number(b)
	})
	for k, name := range list {
		list[k] = filepath.Join(run, name)
	}
	return list, nil
}

func number(name string) int {
	n, _ := strconv.Atoi(numbered.FindStringSubmatch(name)[2])
	return n
}

// Draws reads the draws of a run; base as for Paths.
func Draws(run, base string) (*draws.Run, error) {
	paths, err := Paths(run, base)
	if err != nil {
		return nil, err
	}
	out, err := cmdstan.Read(paths...)
	if err != nil {
		return nil, err
	}
	for c := range out.Chains {
		if out.Chains[c].Len() == 0 {
			return nil, fmt.Errorf("%s has no draws", paths[c])
		}
	}
	return out, nil
}

// Pointwise are the draws of the elements of a variable: a run of the log likelihoods of rows.
func Pointwise(run *draws.Run, variable string) (*draws.Run, error) {
	out := &draws.Run{Chains: make([]draws.Chain, len(run.Chains))}
	var at []int
	for k, n := range run.Names {
		if n == variable || strings.HasPrefix(n, variable+"[") {
			at, out.Names = append(at, k), append(out.Names, n)
		}
	}
	if len(at) == 0 {
		var have []string
		for _, n := range run.Names {
			if b, _, _ := strings.Cut(n, "["); !slices.Contains(have, b) {
				have = append(have, b)
			}
		}
		return nil, fmt.Errorf("there is no variable %s among %s: a Stan program needs the log likelihood of each row, as in "+
			"log_lik[n] = normal_lpdf(y[n] | mu, sigma), among its generated quantities; -log-lik names another", variable,
			strings.Join(have[:min(len(have), 8)], ", "))
	}
	for c := range run.Chains {
		for _, row := range run.Chains[c].Values {
			v := make([]float64, len(at))
			for j, k := range at {
				v[j] = row[k]
			}
			out.Chains[c].Values = append(out.Chains[c].Values, v)
			out.Chains[c].Stats = append(out.Chains[c].Stats, draws.Stat{})
		}
	}
	return out, nil
}

// writeRows writes the estimates of rows.
func writeRows(w io.Writer, r *loo.Result) error {
	var b strings.Builder
	b.WriteString("row,elpd,p,k\n")
	for _, p := range r.Points {
		for k, v := range []string{p.Name, num(p.ELPD), num(p.P), num(p.K)} {
			if k > 0 {
				b.WriteByte(',')
			}
			b.WriteString(quoted(v))
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func num(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func quoted(s string) string {
	if strings.ContainsAny(s, ",\"") {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}

// RowsFile is a file with the estimates of rows, as fit leaves it.
func RowsFile(r *loo.Result) report.File {
	return report.File{Name: rowsFile, What: "how well each row is predicted without it", Fill: func(w io.Writer) error { return writeRows(w, r) }}
}

// Check returns an error of usage if there are not so many runs.
func Check(args []string, least, most int, want string) error {
	if len(args) < least || len(args) > most {
		return cli.Usagef("want %s, found %s", want, cli.Plural(len(args), "argument"))
	}
	return nil
}
