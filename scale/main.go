// Command scale makes the one pass of bkesample summarize on Apache Beam: the elements are chunks of
// rows, each becomes a summary, and a combiner merges these.
//
//	go run . -plan plan.json -sample P -out P.sum 'data/P-*.csv'
//
// It runs in this process by default, on Beam's own Prism runner; flags of Beam choose others. The bytes
// are those of bkesample summarize.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"bayeskernel/frame"
	"bayeskernel/internal/atomicfile"
	"bayeskernel/internal/shards"
	"bayeskernel/summary"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"
)

var (
	planFile = flag.String("plan", "", "the `file` of the plan")
	sample   = flag.String("sample", "P", "the `name` of the sample that the files belong to")
	out      = flag.String("out", "", "the `file` to write, on a file system that all workers share")
	skip     = flag.Bool("skip-missing", false, "leave out rows in which a value is missing")
	runner   = flag.String("runner", "prism", "the `runner`: prism, in this process, or universal, for "+
		"the job service that -endpoint names (Flink, Spark); Dataflow needs its import")
	verbose = flag.Bool("verbose", false, "let Beam say what it does")
)

func main() {
	flag.Parse()
	beam.Init() // a worker goes on in there, and never returns
	if !*verbose {
		slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	}
	if err := run(context.Background()); err != nil {
		fmt.Fprintf(os.Stderr, "scale: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	if *planFile == "" || *out == "" || flag.NArg() == 0 {
		return errors.New("want -plan, -out and at least one file")
	}
	plan, err := os.ReadFile(*planFile)
	if err != nil {
		return err
	}
	units, err := unitsOf(*sample, flag.Args())
	if err != nil {
		return err
	}
	if err := refuseInput(*out, *planFile, units); err != nil {
		return err
	}
	return summarise(ctx, *runner, plan, units, *out, *skip)
}

// refuseInput returns an error if the file to write is one of those that are read, or somebody's who did
// not make it with this program.
func refuseInput(out, plan string, units []shards.Unit) error {
	at, err := os.Stat(out)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	same := func(name string) bool {
		info, err := os.Stat(name)
		return err == nil && os.SameFile(at, info)
	}
	read := same(plan)
	for i, u := range units {
		read = read || (i == 0 || u.File != units[i-1].File) && same(u.File)
	}
	if read {
		return fmt.Errorf("-out %s: is a file that is read, want another name for what is written", out)
	}
	if !at.Mode().IsRegular() {
		return fmt.Errorf("-out %s: is no file, want the name of one", out)
	}
	if b, err := os.ReadFile(out); err == nil && len(b) > 0 && !summary.IsSummary(b) {
		return fmt.Errorf("-out %s: is there already and is no summary, want another name for what is written", out)
	}
	return nil
}

// unitsOf cuts files into elements: files, and groups of rows of Parquet files. A pattern that matches
// nothing is an error: Beam would run a job without elements and leave no file.
func unitsOf(sample string, patterns []string) ([]shards.Unit, error) {
	files, err := frame.Expand(patterns, "")
	if err != nil {
		return nil, err
	}
	return shards.Units(sample, files, shards.Options{})
}

// summarise runs the job, and checks that all chunks are in what it leaves.
func summarise(ctx context.Context, runner string, plan []byte, units []shards.Unit, out string,
	skip bool) error {
	if _, err := summary.ParsePlan(plan); err != nil {
		return err
	}
	// The workers write under a name of this job. An earlier summary stays until the new one is known to be
	// whole.
	made, err := jobFile(out)
	if err != nil {
		return err
	}
	defer os.Remove(made)
	p, s := beam.NewPipelineWithRoot()
	build(s, plan, units, made, skip)
	if _, err := beam.Run(ctx, runner, p); err != nil {
		return fmt.Errorf("the job failed: %w", shortened(err))
	}
	b, err := os.ReadFile(made)
	if err != nil {
		return fmt.Errorf("the job ended and left no summary: %w", err)
	}
	if len(b) == 0 {
		return errors.New("the job ended and left no summary: the workers share no file system with this program, " +
			"want -out on one that they do")
	}
	got, err := summary.Parse(b)
	if err != nil {
		return err
	}
	if n, _ := got.Rows(units[0].Sample); n == 0 {
		return fmt.Errorf("no row is left of sample %q", units[0].Sample)
	}
	return write(out, b)
}

// jobFile makes an empty file beside out, under a name of its own.
func jobFile(out string) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(out), filepath.Base(out)+".*.job")
	if err != nil {
		return "", fmt.Errorf("-out %s: %w", out, err)
	}
	return f.Name(), f.Close()
}

// shortened keeps the last cause of an error of Beam, which repeats it for each stage.
func shortened(err error) error {
	const most = 400
	text := err.Error()
	if len(text) > most {
		text = "… " + text[len(text)-most:]
	}
	return errors.New(text)
}

// write replaces a file as a whole.
func write(name string, b []byte) error {
	return atomicfile.Write(name, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}
