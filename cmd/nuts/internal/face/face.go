package face

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/draws/cmdstan"
	"bayeskernel/internal/atomicfile"
	"bayeskernel/stan"
)

// Model is the program that an executable carries.
type Model struct {
	Name   string `json:"name"` // of its file, without .stan
	Source string `json:"source"`
	Words  bool   `json:"words"` // truth values are written as words, as CmdStan does since 2.35
}

// The exit codes.
const (
	done   = 0
	failed = 1
)

// call is one call of the executable.
type call struct {
	model  *Model
	args   *argument
	bound  *stan.Model
	out    io.Writer
	lock   sync.Mutex // of out
	params []string
	paths  []string // of the files that are written, one for each chain
}

// Run does what the arguments say and returns the exit code.
func Run(ctx context.Context, m *Model, args []string, stdout, stderr io.Writer) int {
	c := &call{model: m, out: stdout}
	err := c.run(ctx, args)
	switch {
	case err == nil:
		return done
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "Interrupted"+left(err)+".")
		return cli.Interrupted(ctx)
	case errors.Is(err, errTold):
		return failed
	}
	var usage *usageError
	if errors.As(err, &usage) {
		fmt.Fprintln(stderr, cli.OneLine(usage.error))
		return failed
	}
	// Both cmdstanpy and cmdstanr look for lines that begin like this.
	fmt.Fprintln(stderr, "Exception: "+cli.OneLine(err))
	return failed
}

// leaving ends a method that was interrupted and leaves files; it says which.
type leaving []string

func (e leaving) Error() string { return "interrupted: " + strings.Join(e, ", ") }

func (e leaving) Unwrap() error { return context.Canceled }

// left is what an interrupted method leaves, as the end of a sentence.
func left(err error) string {
	if e, ok := errors.AsType[leaving](err); ok && len(e) > 0 {
		return ": " + strings.Join(e, ", ")
	}
	return ""
}

// errTold ends a method that has said what is wrong.
var errTold = errors.New("")

type usageError struct{ error }

func (c *call) run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		c.usage()
		return &usageError{errNoMethod}
	}
	switch args[0] {
	case "info":
		c.info()
		return nil
	case "help", "help-all", "-h", "--help":
		c.usage()
		return nil
	}
	var err error
	if c.args, err = parse(args); err != nil {
		return &usageError{err}
	}
	if seed := c.args.at("random", "seed"); !seed.given {
		var b [4]byte
		if _, err := rand.Read(b[:]); err != nil {
			return err
		}
		seed.value = strconv.Itoa(int(binary.LittleEndian.Uint32(b[:]) >> 1))
		seed.usual = seed.value
	}
	if n := c.args.at("num_threads").whole(); n > 0 && c.args.at("num_threads").given {
		runtime.GOMAXPROCS(n)
	}
	if f := c.args.at("output", "diagnostic_file").value; f != "" {
		return &usageError{fmt.Errorf("diagnostic_file=%s: the momenta of chains are not written here", f)}
	}
	if err := c.place(); err != nil {
		return &usageError{err}
	}
	if err := c.bind(); err != nil {
		return err
	}
	switch c.args.at("method").value {
	case "optimize":
		return c.optimize(ctx)
	case "generate_quantities":
		return c.quantities(ctx)
	case "log_prob":
		return c.logProb(ctx)
	}
	return c.sample(ctx)
}

func (c *call) printf(format string, args ...any) {
	c.lock.Lock()
	defer c.lock.Unlock()
	fmt.Fprintf(c.out, format, args...)
}

// version is that of the CmdStan whose spelling the files follow.
func (m *Model) version() [3]int {
	if m.Words {
		return [3]int{2, 36, 0}
	}
	return [3]int{2, 34, 1}
}

// info is what callers ask for before they run anything.
func (c *call) info() {
	v := c.model.version()
	c.printf("stan_version_major = %d\nstan_version_minor = %d\nstan_version_patch = %d\nSTAN_THREADS=false\nSTAN_MPI=false\n"+
		"STAN_OPENCL=false\nSTAN_NO_RANGE_CHECKS=false\nSTAN_CPP_OPTIMS=false\n", v[0], v[1], v[2])
}

// usage lists the arguments with their defaults.
func (c *call) usage() {
	c.printf("Usage: %s METHOD ARGUMENTS, as a program of CmdStan\n\nMethods: sample, optimize, generate_quantities, log_prob; "+
		"info, help\n\nArguments with their defaults:\n", c.model.Name)
	for _, m := range []string{"sample", "optimize", "generate_quantities", "log_prob"} {
		all := grammar()
		_ = all.at("method").take(m)
		if m != "sample" { // the rest is as there
			all.sub = all.sub[:1]
		}
		c.printf("\n")
		for _, l := range all.lines(c.model.Words) {
			c.printf("  %s\n", l)
		}
	}
	c.printf("\nIts sampler and warm-up are those of nuts: nuts exe -h says what differs.\n")
}

// bind reads the data.
func (c *call) bind() error {
	p, err := stan.Parse(c.model.Source)
	if err != nil {
		return err
	}
	d := stan.Data{}
	if file := c.args.at("data", "file").value; file != "" {
		if d, err = readJSON(file); err != nil {
			return err
		}
	}
	seed, _ := strconv.ParseUint(c.args.at("random", "seed").value, 10, 64)
	c.bound, err = p.Bind(d, stan.Options{Seed: seed, Print: func(s string) { c.printf("%s\n", s) }})
	if err != nil {
		return errors.New(stan.Reason(err))
	}
	c.params = c.bound.Parameters()
	return nil
}

// readJSON reads data, or initial values.
func readJSON(path string) (stan.Data, error) {
	b, err := os.ReadFile(path)
	if err == nil && strings.HasSuffix(path, ".gz") {
		var z *gzip.Reader
		if z, err = gzip.NewReader(bytes.NewReader(b)); err == nil {
			b, err = io.ReadAll(z)
		}
	}
	if err != nil {
		return nil, err
	}
	d, err := stan.ParseData(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return d, nil
}

// head is the configuration, as it stands at the head of a file.
func (c *call) head() []string {
	v := c.model.version()
	out := []string{fmt.Sprintf("stan_version_major = %d", v[0]), fmt.Sprintf("stan_version_minor = %d", v[1]),
		fmt.Sprintf("stan_version_patch = %d", v[2]), "model = " + c.modelName()}
	return append(out, c.args.lines(c.model.Words)...)
}

func (c *call) modelName() string {
	return strings.Map(func(r rune) rune {
		if r > 127 || strings.ContainsRune(" =,#", r) {
			return '_'
		}
		return r
	}, c.model.Name) + "_model"
}

// announce prints the configuration.
func (c *call) announce() {
	c.printf("%s\n\n", strings.Join(c.args.lines(c.model.Words), "\n"))
}

func (c *call) digits() int { return max(c.args.at("output", "sig_figs").whole(), 0) }

// files are the names of the files of n chains from a name, or a list of names with commas.
func files(name, suffix string, n, id int) ([]string, error) {
	list := strings.Split(name, ",")
	if len(list) == n && n > 1 {
		return list, nil
	}
	if len(list) > 1 {
		return nil, fmt.Errorf("%s are %d files, want 1 or %d", name, len(list), n)
	}
	ext := filepath.Ext(name)
	base := strings.TrimSuffix(name, ext)
	if ext == "" {
		ext = suffix
	}
	if n == 1 {
		return []string{base + ext}, nil
	}
	var out []string
	for k := range n {
		out = append(out, fmt.Sprintf("%s_%d%s", base, id+k, ext))
	}
	return out, nil
}

// given are the files of n chains that are read: as files names them if the first of these is there, or one
// for all.
func given(name string, n, id int) ([]string, error) {
	list, err := files(name, "", n, id)
	if err != nil {
		return nil, err
	}
	if n > 1 && !strings.Contains(name, ",") {
		if _, err := os.Stat(list[0]); errors.Is(err, fs.ErrNotExist) {
			for k := range list {
				list[k] = name
			}
		}
	}
	return list, nil
}

// beside is the file of a kind that lies beside a file of draws.
func beside(csv, kind string) string {
	csv, _, _ = strings.Cut(csv, ",")
	return strings.TrimSuffix(csv, filepath.Ext(csv)) + "_" + kind + ".json"
}

// config writes the configuration as JSON if it is asked for.
func (c *call) config() error {
	if !c.args.at("output", "save_cmdstan_config").truth() {
		return nil
	}
	v := c.model.version()
	o := object{{"stan_major_version", strconv.Itoa(v[0])}, {"stan_minor_version", strconv.Itoa(v[1])},
		{"stan_patch_version", strconv.Itoa(v[2])}, {"model_name", c.modelName()},
		{"start_datetime", time.Now().UTC().Format("2006-01-02 15:04:05 UTC")}}
	o = append(o, c.args.json()...)
	o = append(o, field{"mpi_enabled", false}, field{"stanc_version", "bayeskernel"}, field{"stancflags", ""})
	return writeJSON(beside(c.args.at("output", "file").value, "config"), o)
}

func writeJSON(path string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(append(b, '\n'))
		return err
	})
}

// table writes a file of a method that does not sample.
func (c *call) table(path string, names []string, rows [][]float64, notes ...string) error {
	return cmdstan.WriteTable(path, cmdstan.Table{Head: append(c.head(), notes...), Names: names, Rows: rows, Digits: c.digits()})
}

// The comments that say where a file differs from CmdStan's, as keys that no reader knows.
const (
	noteSampler   = "bayeskernel_sampler = NUTS and warm-up of bayeskernel"
	noteConstants = "bayeskernel_density = with all constants"
)
