// Package shards holds the commands that read any number of rows in one pass: plan, summarize and
// merge.
package shards

import (
	"fmt"
	"io"
	"os"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/frame"
	"bayeskernel/internal/atomicfile"
	"bayeskernel/internal/shards"
	"bayeskernel/summary"

	"golang.org/x/term"
)

// aboutFiles tells the help of plan and summarize which files are read.
const aboutFiles = `
Files are CSV, TSV, JSON lines, gzip or Parquet, whatever they are called; - is standard input,
and patterns in quotes are expanded.`

// fileFlags say which files to read and how.
type fileFlags struct {
	from    string
	workers int
	na      string
	old     bool // -skip-missing
}

func (f *fileFlags) define(s *cli.FlagSet) {
	defineFrom(s, &f.from)
	s.Choice(&f.na, "na", "drop", []string{"drop", "error"}, "`what` to do with rows in which a value is "+
		"missing: drop (leave them out and say how many) or error")
	s.BoolVar(&f.old, "skip-missing", false, "") // what -na drop was called
	s.Whole(&f.workers, "j", 0, "the `number` of files, or Parquet row groups, to read at a time "+
		"(default the number of processors)")
}

func defineFrom(s *cli.FlagSet, from *string) {
	s.Text(from, "files-from", "", "read further names of files from this `file`, one a line")
}

func defineEqual(s *cli.FlagSet, equal *bool) {
	s.Yes(equal, "allow-equal", "take chunks with the same contents, which are refused "+
		"otherwise, for different ones")
}

// outFlags say where the result goes.
type outFlags struct {
	out, old string // -o is what -out was called
	quiet    bool
}

func (f *outFlags) define(s *cli.FlagSet) {
	s.Group("Output")
	s.Text(&f.out, "out", "", "the `file` to write (default standard output)")
	s.Yes(&f.quiet, "quiet", "print no text but errors")
	s.Retired(&f.old, "o")
}

// hush takes the flags into account.
func (f *outFlags) hush(con *cli.Console) error {
	if f.quiet {
		con.Screen, con.Quiet = nil, true
	}
	if f.old != "" {
		return cli.Usagef("-o is now -out, as in other commands")
	}
	return nil
}

func (f *fileFlags) options(con *cli.Console, line *cli.Status) shards.Options {
	return shards.Options{Skip: f.na == "drop", Parallel: f.workers, Stdin: con.Stdin, Progress: line.StepLeft,
		Remedies: frame.Remedies{Columns: "-columns", Missing: "-na drop"}}
}

// kinds of files that are written.
const (
	aPlan    = "plan"
	aSummary = "summary"
)

// kindOf is the kind of a file with these contents, "" for another's.
func kindOf(b []byte) string {
	if summary.IsSummary(b) {
		return aSummary
	}
	if _, err := summary.ParsePlan(b); err == nil {
		return aPlan
	}
	return ""
}

// checkOut returns an error if the file to write is one of those that are read, those of the arguments and further
// ones, if something else than such a file is there, or if it cannot be written: before the work begins.
func checkOut(con *cli.Console, kind, out string, more ...string) error {
	if out == "" || out == "-" {
		return nil
	}
	if err := cli.NotRead("out", out, append(con.Inputs("out"), more...)...); err != nil {
		return err
	}
	if info, err := os.Stat(out); err == nil && info.IsDir() {
		return cli.Refusalf("-out %s: is a folder, want the name of a file", out)
	}
	if before, err := os.ReadFile(out); err == nil && len(before) > 0 {
		switch there := kindOf(before); there {
		case kind:
		case "":
			return cli.Refusalf("%s: is there already and is no plan or summary of %s, want another name for "+
				"what is written", out, con.Program.Name)
		default:
			return cli.Refusalf("%s: is a %s, which a %s would replace, want another name for what is written", out,
				there, kind)
		}
	}
	if err := atomicfile.Writable(out); err != nil {
		return fmt.Errorf("-out %s", cli.OneLine(err))
	}
	return nil
}

// writeOut writes a file atomically, or writes to standard output if name is "".
func writeOut(con *cli.Console, name string, b []byte) error {
	if name == "" || name == "-" {
		_, err := con.Stdout.Write(b)
		return err
	}
	con.Hold()
	return atomicfile.Write(name, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// refuseTerminal returns an error rather than write binary output to a terminal.
func refuseTerminal(con *cli.Console, out string) error {
	if f, ok := con.Stdout.(*os.File); ok && (out == "" || out == "-") && term.IsTerminal(int(f.Fd())) {
		return cli.Usagef("a summary is not text: want > file, or -out file")
	}
	return nil
}
