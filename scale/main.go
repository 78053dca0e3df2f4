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
	"net"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"bayeskernel/summary"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"
)

var (
	planFile = flag.String("plan", "", "the `file` of the plan")
	sample   = flag.String("sample", "P", "the `name` of the sample that the files belong to")
	out      = flag.String("out", "", "the `file` to write, on a file system that all workers share")
	skip     = flag.Bool("skip-missing", false, "leave out rows in which a value is missing")
	attempts = flag.Int("attempts", 3, "start a job that ends because a worker was lost at most so `many` times in all")
	runner   = flag.String("runner", "prism", "the `runner`: prism, in this process, or universal, for "+
		"the job service that -endpoint names (Prism, Flink, Spark)")
	verbose = flag.Bool("verbose", false, "let Beam say what it does")
)

func main() {
	if err := refuseAddresses(addressLimit()); err != nil {
		fail(err)
	}
	flag.Parse()
	if *provision != "" && flag.Lookup("worker").Value.String() != "true" {
		if err := beWorker(context.Background()); err != nil {
			fail(err)
		}
	}
	beam.Init() // a worker goes on in there, and never returns
	if !*verbose {
		slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	if err := run(ctx); err != nil {
		fail(err)
	}
}

// misuse is an error of the command line.
type misuse struct{ error }

// errInterrupted ends a job that was interrupted.
var errInterrupted = errors.New("interrupted, no summary was written")

// fail ends the program: with 2 where the command line is wrong, with 130 where it was interrupted, with 1 where the
// work fails.
func fail(err error) {
	fmt.Fprintf(os.Stderr, "scale: %v\n", err)
	os.Exit(exitCode(err))
}

func exitCode(err error) int {
	if _, ok := errors.AsType[misuse](err); ok {
		return 2
	}
	if errors.Is(err, errInterrupted) {
		return 130
	}
	return 1
}

func run(ctx context.Context) error {
	if *planFile == "" || *out == "" || flag.NArg() == 0 {
		return misuse{errors.New("want -plan, -out and at least one file")}
	}
	if err := refuseHandles(handles); err != nil {
		return err
	}
	plan, err := readFile(ctx, *planFile)
	if err != nil {
		return fmt.Errorf("-plan %s: %w", *planFile, bare(err))
	}
	if sameFile(*out, *planFile) {
		return errIsRead(*out)
	}
	return summarise(ctx, *runner, pass{Plan: plan, Sample: *sample, Patterns: flag.Args(), Out: *out, Skip: *skip})
}

// bare strips from an error of package os the name of the file.
func bare(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

const isRead = "is a file that is read, want another name for what is written"

func errIsRead(out string) error {
	return misuse{fmt.Errorf("-out %s: "+isRead, out)}
}

// refuseForeign returns an error if the file to write is somebody's who did not make it with this program.
func refuseForeign(ctx context.Context, out string) error {
	if scheme(out) == "" {
		info, err := os.Stat(out)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("-out %s: %w", out, bare(err))
		}
		if !info.Mode().IsRegular() {
			return misuse{fmt.Errorf("-out %s: is no file, want the name of one", out)}
		}
	} else if _, err := sizeOf(ctx, out); err != nil {
		return nil // there is none, or the pass will say why it cannot be written
	}
	if b, err := readFile(ctx, out); err == nil && len(b) > 0 && !summary.IsSummary(b) {
		return misuse{fmt.Errorf("-out %s: is there already and is no summary, want another name for what is written", out)}
	}
	return nil
}

// reachable is how long a job service may take to answer.
const reachable = 5 * time.Second

// refuseRunner returns an error if no job can be given to the runner: Beam says nothing, or waits for minutes.
func refuseRunner(ctx context.Context, runner, endpoint string) error {
	if runners := []string{"prism", "universal"}; !slices.Contains(runners, runner) {
		return misuse{fmt.Errorf("-runner %s: want %s; for Flink or Spark start Beam's job server and give "+
			"-runner universal -endpoint host:port", runner, strings.Join(runners, " or "))}
	}
	if endpoint == "" {
		if runner == "universal" {
			return misuse{errors.New("-runner universal: wants the job service, as -endpoint host:port")}
		}
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, reachable)
	defer cancel()
	c, err := new(net.Dialer).DialContext(ctx, "tcp", endpoint)
	if err != nil {
		return fmt.Errorf("-endpoint %s: no job service answers (%v); is it started, and is this its address?",
			endpoint, err)
	}
	return c.Close()
}

// summarise runs the job, again where a worker was lost, and checks what it leaves. It reads no data: the
// workers look for the files.
func summarise(ctx context.Context, runner string, job pass) error {
	if _, err := summary.ParsePlan(job.Plan); err != nil {
		return err
	}
	if _, err := systemOf(ctx, job.Out); err != nil {
		return err
	}
	if err := refuseForeign(ctx, job.Out); err != nil {
		return err
	}
	// The workers write under a name of this job. An earlier summary stays until the new one is known to be
	// whole.
	made, err := jobFile(job.Out)
	if err != nil {
		return err
	}
	defer remove(context.WithoutCancel(ctx), made)
	inProcess := *jobopts.Endpoint == "" || jobopts.IsLoopback() // there is no worker to lose
	if !inProcess && *jobopts.WorkerBinary == "" && runtime.GOOS == "linux" {
		// Beam would build this program anew, from source that need not be here.
		if *jobopts.WorkerBinary, err = os.Executable(); err != nil {
			return err
		}
	}
	for attempt := 1; ; attempt++ {
		if err := refuseRunner(ctx, runner, *jobopts.Endpoint); ctx.Err() != nil {
			return errInterrupted
		} else if err != nil {
			return err
		}
		p, s := beam.NewPipelineWithRoot()
		job.build(s, made)
		stop := tell(os.Stderr, inProcess)
		err := goOn(ctx, inProcess, func() error {
			_, err := beam.Run(ctx, runner, p)
			return err
		})
		stop()
		if ctx.Err() != nil {
			return errInterrupted
		}
		if err == nil {
			break
		}
		if why, ok := found(err); ok {
			return why
		}
		if attempt >= *attempts || inProcess {
			return fmt.Errorf("the job failed: %w", shortened(err))
		}
		fmt.Fprintf(os.Stderr, "scale: the job ended early, is started again: %v\n", shortened(err))
	}
	b, err := readFile(ctx, made)
	if err != nil {
		return fmt.Errorf("the job ended and left no summary that this program sees: %w; want -out on a file system "+
			"that the workers share with it", bare(err))
	}
	if len(b) == 0 {
		return errors.New("the job ended and left no summary: the workers share no file system with this program, " +
			"want -out on one that they do")
	}
	got, err := summary.Parse(b)
	if err != nil {
		return err
	}
	if n, _ := got.Rows(job.Sample); n == 0 {
		return fmt.Errorf("no row is left of sample %q", job.Sample)
	}
	return writeFile(ctx, job.Out, b)
}

// farewell is how long a job service may take to hear that a job was interrupted.
const farewell = 2 * time.Second

// goOn runs a job until it ends or ctx does: Beam does not always notice that. A job of this process ends with it.
func goOn(ctx context.Context, inProcess bool, job func() error) error {
	done := make(chan error, 1)
	go func() { done <- job() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	if !inProcess {
		select {
		case <-done:
		case <-time.After(farewell):
		}
	}
	return ctx.Err()
}

// every is how often the program says how far the job is.
const every = 10 * time.Second

// tell says how far the job is from time to time, until it is stopped: of workers in other processes, that it runs.
func tell(w io.Writer, inProcess bool) (stop func()) {
	at.found.Store(0)
	at.read.Store(0)
	began, ended := time.Now(), make(chan struct{})
	var told sync.WaitGroup
	told.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ended:
				return
			case now := <-tick.C:
				how := "the job runs"
				if n := at.found.Load(); inProcess && n > 0 {
					how = fmt.Sprintf("%d of %d stretches are read", at.read.Load(), n)
				}
				fmt.Fprintf(w, "scale: %s, %v so far\n", how, now.Sub(began).Round(time.Second))
			}
		}
	})
	return func() { close(ended); told.Wait() }
}

// mark stands before what the pass says of files and rows. Beam hands on nothing of an error but its text, in
// which a lost worker has to be told from a row that no second try makes a number.
const mark = "the pass found: "

func marked(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf(mark+"%w", err)
}

// found returns what the pass said, if it is that which ended the job.
func found(err error) (error, bool) {
	i := strings.LastIndex(err.Error(), mark)
	if i < 0 {
		return nil, false
	}
	said, _, _ := strings.Cut(err.Error()[i+len(mark):], "\n")
	if strings.HasSuffix(said, isRead) {
		return misuse{errors.New(said)}, true
	}
	return errors.New(said), true
}

// shortened keeps the last cause of an error of Beam, which repeats it for each stage.
func shortened(err error) error {
	const most = 400
	text := strings.Join(strings.Fields(err.Error()), " ")
	if len(text) > most {
		text = "… " + text[len(text)-most:]
	}
	return errors.New(text)
}
