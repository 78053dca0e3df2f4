package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"bayeskernel/draws"
	"bayeskernel/draws/cmdstan"
	"bayeskernel/hmc"
	"bayeskernel/internal/atomicfile"
)

func sampleCommand() command {
	return command{
		name: "sample", args: "[P.csv [Q.csv]]",
		summary: "sample the lengthscale of a kernel and show where two samples differ " +
			"(the default)",
		about: `Learns the lengthscale of a kernel in a fully Bayesian way and shows where the distributions
of two samples differ: the posterior of the witness function, mu_P - mu_Q, with its band.
For one file without -label it shows the posterior of the mean embedding of that sample.
Without a file it takes the example of Flaxman et al. (2016): a normal against a Laplace
distribution of equal mean and variance. The file name - means standard input; CSV, TSV and
gzip are recognised.`,
		flags: func(s *flagSet) func(context.Context, *console, []string) error {
			j := &sampleJob{}
			j.data.define(s, true, "They enter the witness and its bands, not the likelihood: the "+
				"kernel is learned from the rows as they are")
			j.model.define(s, "the radial `kernel`: "+radialNames)
			j.sampler.define(s)
			j.witness.define(s)
			j.output.define(s, "sample")
			return func(ctx context.Context, con *console, files []string) error {
				j.output.hush(con)
				return j.run(ctx, s, con, files)
			}
		},
	}
}

// sampleJob is what the user asked for.
type sampleJob struct {
	data    dataFlags
	model   modelFlags
	sampler samplerFlags
	witness witnessFlags
	output  outputFlags
}

func (j *sampleJob) check(s *flagSet) error {
	for _, err := range []error{j.model.kernel.read(), j.model.check(s), j.sampler.check(s),
		j.witness.check(s), j.output.check(s)} {
		if err != nil {
			return err
		}
	}
	if j.output.verify {
		return canVerify(&j.model, 1) // more columns, known later, have more lengthscales only
	}
	return nil
}

// run goes from files to files.
func (j *sampleJob) run(ctx context.Context, set *flagSet, con *console, files []string) error {
	if err := j.check(set); err != nil {
		return err
	}
	data, err := j.data.load(set, con, files)
	if err != nil {
		return err
	}
	if data == nil {
		if data, err = example(j.data.n, j.model.seed); err != nil {
			return err
		}
	}
	if _, dim := data.p.Dims(); j.output.verify {
		if err := canVerify(&j.model, dim); err != nil {
			return err
		}
	}
	if w := data.weights; w != nil {
		what := "witness and its bands"
		if data.q == nil {
			what = "mean embedding and its band"
		}
		data.notes = append(data.notes, fmt.Sprintf("%s The weights enter the %s; the kernel is "+
			"learned from the rows as they are.", w.sentence(data), what))
	}
	if err := j.model.admit(data); err != nil {
		return err
	}
	dir, err := j.output.prepare()
	if err != nil {
		return err
	}
	study, err := newStudy(ctx, &j.model, con, data)
	if err != nil {
		return err
	}
	if err := study.findInterval(ctx, &study.priors); err != nil {
		return err
	}
	run, err := j.sample(ctx, study, con, dir)
	if run == nil {
		return err
	}
	if drawn(run) < fewestDrawn {
		return j.nothing(con, run, err)
	}
	rep := &report{study: study, run: run, draws: run.Summary(), partial: err != nil,
		interrupted: errors.Is(err, context.Canceled), files: files, con: con, job: j}
	// What there is is written whatever ended the run.
	if e := rep.fill(ctx); e != nil {
		return e
	}
	if e := rep.write(dir); e != nil {
		return e
	}
	if e := j.output.print(con, rep); e != nil {
		return e
	}
	if err != nil {
		return j.stopped(con, run, err)
	}
	if j.output.strict && len(rep.draws.Warnings) > 0 {
		return errDiagnostics
	}
	return nil
}

// sample draws, with every chain's file growing as it runs.
func (j *sampleJob) sample(ctx context.Context, s *study, con *console, dir string) (*draws.Run,
	error) {
	set, err := j.sampler.settings(s, dir)
	if err != nil {
		return nil, err
	}
	var files []*chainFile
	set.Record = func(head *draws.Run, chain int) (draws.Recorder, error) {
		csv, err := cmdstan.New(chainName(dir, chain), head, chain,
			cmdstan.Options{DigitBooleans: j.output.stanBool == "digit"})
		if err != nil {
			return nil, err
		}
		f := &chainFile{Writer: csv, all: &files}
		files = append(files, f)
		return f, nil
	}
	shown := newProgress(con.screen, set.Chains)
	shown.attach(&set)
	began := time.Now()
	run, err := j.sampler.draw(ctx, s, set)
	shown.clear()
	if shown != nil {
		con.warn("sampled in %s", time.Since(began).Round(time.Millisecond))
	}
	if run == nil {
		return nil, fmt.Errorf("sampling: %w", err)
	}
	if err == nil {
		return run, j.tidy(dir, run)
	}
	if drawn(run) >= fewestDrawn {
		e := os.Rename(set.Checkpoints.File, filepath.Join(dir, checkpoint))
		if e != nil && errors.Is(err, context.Canceled) {
			err = e // any other error says already what went wrong
		}
	}
	return run, err
}

// checkpoint is what an interrupted run goes on from. Until there are draws it ends in .part, so
// that it does not replace an earlier run's.
const checkpoint = "checkpoint"

// fewestDrawn is the number of draws of a chain below which a run leaves no results.
const fewestDrawn = 2

// chainFile is the file of a chain's draws. It replaces that of an earlier run only if there are
// draws to replace it with.
type chainFile struct {
	*cmdstan.Writer
	all   *[]*chainFile // the files of the run
	drawn int
}

// Draw adds a row.
func (f *chainFile) Draw(values []float64, s draws.Stat, warmup bool) error {
	if !warmup {
		f.drawn++
	}
	return f.Writer.Draw(values, s, warmup)
}

// Close is called when all chains have ended.
func (f *chainFile) Close(warmupSeconds, sampleSeconds float64) error {
	for _, other := range *f.all {
		if other.drawn >= fewestDrawn {
			return f.Writer.Close(warmupSeconds, sampleSeconds)
		}
	}
	return f.Discard()
}

// chainName is the name of a chain's file.
func chainName(dir string, chain int) string {
	return filepath.Join(dir, fmt.Sprintf("draws_%d.csv", chain+1))
}

var chainFiles = regexp.MustCompile(`^draws_([1-9][0-9]*)\.csv(\.part)?$`)

// tidy leaves, after a run that is complete, what the next one can start from, and takes away the
// checkpoints and the files of chains that an earlier run had and this one has not.
func (j *sampleJob) tidy(dir string, run *draws.Run) error {
	if err := hmc.WriteWarmStart(filepath.Join(dir, "warmstart.json"), run); err != nil {
		return err
	}
	if err := writeFiles(dir, nil, checkpoint, checkpoint+atomicfile.Part); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		m := chainFiles.FindStringSubmatch(e.Name())
		if m == nil {
			continue
		}
		if k, err := strconv.Atoi(m[1]); err == nil && (k > len(run.Chains) || m[2] != "") {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// drawn is the number of draws of the chain that has most.
func drawn(run *draws.Run) int {
	most := 0
	for _, c := range run.Chains {
		most = max(most, len(c.Values))
	}
	return most
}

// nothing ends a run that has no draws to speak of.
func (j *sampleJob) nothing(con *console, run *draws.Run, err error) error {
	if err == nil {
		return errors.New("fewer than 2 draws of each chain were kept, want at least 2: raise -iter " +
			"or lower -thin")
	}
	if !errors.Is(err, context.Canceled) {
		return err
	}
	part := checkpoint + atomicfile.Part
	return &resumable{fmt.Sprintf("interrupted before the first draws; %s has a new %s and is "+
		"otherwise unchanged; continue with: %s", j.output.dir, part, j.resumeCommand(con, part))}
}

// stopped ends a run that was stopped, once what there is has been written.
func (j *sampleJob) stopped(con *console, run *draws.Run, err error) error {
	if !errors.Is(err, context.Canceled) {
		return fmt.Errorf("%w; the partial results are in %s", err, j.output.dir)
	}
	return &resumable{fmt.Sprintf("interrupted after %d of %d draws per chain; the partial results "+
		"are in %s; continue with: %s", drawn(run), (run.Sampler.Draws+run.Sampler.Thin-1)/
		run.Sampler.Thin, j.output.dir, j.resumeCommand(con, checkpoint))}
}

// resumable is how a run ends that can be gone on with. Its text ends with a command, so that
// nothing may follow it.
type resumable struct{ msg string }

func (e *resumable) Error() string { return e.msg }
func (e *resumable) Unwrap() error { return context.Canceled }

// resumeCommand repeats the user's command with -resume and a checkpoint, ready to be pasted.
func (j *sampleJob) resumeCommand(con *console, from string) string {
	words := []string{"bkesample"}
	args := con.args
	if len(args) > 0 && args[0] == "sample" {
		words, args = append(words, "sample"), args[1:]
	}
	words = append(words, "-resume", quote(filepath.Join(j.output.dir, from)))
	for _, a := range without(args, "resume") {
		words = append(words, quote(a))
	}
	return strings.Join(words, " ")
}

// without leaves out flags that take a value, and their values.
func without(args []string, flags ...string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		name, _, joined := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(args[i], "-"), "-"), "=")
		if !strings.HasPrefix(args[i], "-") || !slices.Contains(flags, name) {
			out = append(out, args[i])
		} else if !joined {
			i++
		}
	}
	return out
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./,:=+@%-]+$`)

// quote makes a word safe for a shell.
func quote(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
