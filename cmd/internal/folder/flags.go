package folder

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/journal"
	"bayeskernel/internal/page"
)

// Flags say where results go and what is printed.
type Flags struct {
	Resume string        // the folder to go on with, with DefineUnits
	Shard  journal.Shard // the share of the units to make, with DefineUnits
	Prints string        // the file whose contents -format json prints; "" for summary.json

	dir, format    string
	title          string
	force, quiet   bool
	verbose        bool
	tells          bool // a rejection, by the exit code
	owner          owner
	command, first string
	named          bool // -out was given
	resumes        bool // the command has -resume
}

// Define defines the flags. Each command has its own folder, since all write a summary.json and a
// figure; own defines the command's other flags in the group.
func (f *Flags) Define(s *cli.FlagSet, own func()) {
	f.command = s.Name()
	f.owner = owner(s.Program.Name)
	f.first = s.Program.Name + "-out"
	dir := f.first
	if f.command != s.Program.Commands[0].Name {
		dir += "/" + f.command
	}
	if f.Prints == "" {
		f.Prints = "summary.json"
	}
	s.Group("Output")
	s.Text(&f.dir, "out", dir, "the `folder` to write into, made if need be; it holds the results of "+
		"one command. Without this flag earlier results are kept: the next go to "+dir+"-2")
	s.Yes(&f.force, "force", "write into the folder even if it holds results, which are replaced, or an "+
		"unfinished run, which is given up; what "+s.Program.Name+" did not make is never touched")
	s.Choice(&f.format, "format", "text", []string{"text", "json"}, "`what` is printed: text, or "+
		"json, the contents of "+f.Prints+f.alsoPrints())
	s.Text(&f.title, "title", "", "the `title` of the first picture, in the place of its own")
	if own != nil {
		own()
	}
	s.Yes(&f.quiet, "quiet", "print no text but errors")
	s.MaxMemory()
	s.ShowVersion()
}

// alsoPrints says what -format json prints besides a file.
func (f *Flags) alsoPrints() string {
	if f.Prints == "summary.json" {
		return " and what the pictures draw"
	}
	return ""
}

// DefineVerbose defines the flag that prints the details of a document too.
func (f *Flags) DefineVerbose(s *cli.FlagSet) {
	s.Yes(&f.verbose, "verbose", "print also how it was computed, as on the page")
}

// TellRejection defines the flag that reports a rejection by the exit code.
func (f *Flags) TellRejection(s *cli.FlagSet) { f.TellIf(s, "the null hypothesis is rejected") }

// TellIf is TellRejection for a command that rejects something else, described by words.
func (f *Flags) TellIf(s *cli.FlagSet, words string) {
	s.Yes(&f.tells, "exit-code", "exit with code 4 if "+words)
}

// Check returns an error if the flags are wrong.
func (f *Flags) Check(s *cli.FlagSet) error {
	f.named, f.resumes = s.Given("out"), s.Lookup("resume") != nil
	if f.dir == "" {
		return cli.Usagef("-out is empty, want the name of a folder")
	}
	if f.Shard.N > 0 && !f.named {
		f.dir += fmt.Sprintf("-shard-%d-of-%d", f.Shard.K, f.Shard.N)
	}
	if f.quiet && f.verbose {
		return cli.Usagef("-quiet prints nothing and -verbose prints more: want one of them")
	}
	return nil
}

// Hush turns off progress and warnings if the user asked for quiet.
func (f *Flags) Hush(con *cli.Console) {
	if f.quiet {
		con.Screen, con.Quiet = nil, true
	}
}

// Run calls do, writes the document into the command's folder and prints it. No other process can
// use the folder meanwhile. Resume is the checkpoint to resume from, or its folder; "" for none. If
// do returns no document, Run writes nothing.
func (f *Flags) Run(con *cli.Console, resume string,
	do func(*Folder) (*report.Document, error)) error {
	dir, err := f.open(con, resume)
	if err != nil {
		return err
	}
	con.Abandon(dir.abandon)
	doc, err := do(dir)
	if doc != nil && err == nil {
		err = f.leave(con, dir, doc)
	}
	return dir.close(err)
}

// leave renders a document, writes its files and prints it.
func (f *Flags) leave(con *cli.Console, dir *Folder, doc *report.Document) error {
	if f.title != "" && len(doc.Figures) > 0 {
		first := &doc.Figures[0]
		first.Draw = figure.Titled{Drawer: first.Draw, Title: f.title}
		first.Heading = f.title
	}
	doc.Again = page.Again{Command: con.Again(), Version: con.Program.Version()}
	var printed bytes.Buffer
	var err error
	switch {
	case f.format == "json":
		err = doc.WriteJSON(&printed)
	case !f.quiet:
		err = doc.WriteText(&printed, dir.Dir, f.verbose)
	}
	if err != nil {
		return err
	}
	files, err := doc.All()
	if err != nil {
		return err
	}
	if err := dir.write(files); err != nil {
		return err
	}
	dir.finished, dir.left = !doc.Unfinished, true
	_, err = io.WriteString(con.Stdout, cli.Visible(printed.String()))
	switch {
	case err != nil:
		return err
	case doc.Ends != nil:
		return doc.Ends
	case f.tells && doc.Rejects:
		return cli.ErrRejected
	}
	return nil
}

// open chooses the folder and locks it.
func (f *Flags) open(con *cli.Console, resume string) (*Folder, error) {
	if resume != "" {
		var err error
		if resume, err = f.resumed(con, resume); err != nil {
			return nil, err
		}
	}
	// Before the folder is made: a word such as that of -time-as may be its name too, and reads nothing.
	inputs := con.Inputs("out", "resume", "title")
	for k := 1; ; k++ {
		dir := f.dir
		if k > 1 {
			dir = fmt.Sprintf("%s-%d", strings.TrimRight(f.dir, `/\`), k)
		}
		switch why, err := f.owner.refusal(dir); {
		case err != nil:
			return nil, err
		case why != "" && f.named:
			return nil, cli.Refusalf("-out %s: holds %s, want an empty folder or a new one", dir, why)
		case why != "":
			continue
		}
		h, err := hold(f.owner, dir)
		if used := (*inUseError)(nil); errors.As(err, &used) && !f.named && resume == "" {
			continue
		}
		if err != nil {
			return nil, err
		}
		here := resume != "" && filepath.Dir(resume) == filepath.Clean(dir)
		why := h.taken()
		if here && len(h.earlier.Args) > 0 && con.CommandLine(con.Args(), nil, "resume", "out", "quiet",
			"format") == con.Program.Name {
			h.letGo(true)
			return nil, cli.Refusalf("-resume %s: wants the other flags and the files of that run, as "+
				"here: %s", dir, h.goOn(con))
		}
		if why == "" || f.force || here {
			if in := cli.Inside(dir, inputs, h.loses); in != "" {
				h.letGo(h.found)
				if !f.named && !f.force && !here {
					continue
				}
				return nil, cli.Refusalf("-out %s: holds %s, which is read and would be replaced, want "+
					"another folder", dir, in)
			}
			if k > 1 {
				con.Warn("%s is taken: the results go to %s", f.dir, dir)
			}
			return f.start(h, con, resume, here)
		}
		checkpoint := findCheckpoint(dir)
		h.letGo(h.found)
		switch {
		case checkpoint != "":
			return nil, cli.Refusalf("%s holds a run that is not finished; -force gives it up, and "+
				"this goes on with it: %s", dir, h.goOn(con))
		case f.named:
			return nil, cli.Refusalf("-out %s: holds %s, want another folder, or -force to write "+
				"there", dir, why)
		}
	}
}

// start takes the folder for this run.
func (f *Flags) start(h *held, con *cli.Console, resume string, here bool) (*Folder, error) {
	if f.force && !here {
		for name := range h.existing {
			if h.lists(name) && isCheckpoint(filepath.Join(h.dir, name)) {
				if err := remove(filepath.Join(h.dir, name)); err != nil {
					h.letGo(h.found)
					return nil, err
				}
			}
		}
	}
	err := h.take(f.command, con.Args(), f.note(h.dir, con))
	if err == nil && !here {
		err = h.unlink()
	}
	if err != nil {
		h.letGo(h.found)
		return nil, err
	}
	return &Folder{Dir: h.dir, Resume: resume, held: h, con: con}, nil
}

// note says what to do if the run is killed.
func (f *Flags) note(dir string, con *cli.Console) string {
	if !f.resumes {
		return fmt.Sprintf("If process %d no longer runs, this run was killed and its results are not whole. "+
			"Start it again: %s", os.Getpid(), con.CommandLine(con.Args(), nil))
	}
	return fmt.Sprintf("If process %d no longer runs, this run was killed. Go on with it: %s", os.Getpid(),
		con.CommandLine(con.Args(), []string{"-resume", dir}, "resume", "force"))
}

// resumed finds the checkpoint of -resume; without -out the results go into its folder.
func (f *Flags) resumed(con *cli.Console, from string) (string, error) {
	info, err := os.Stat(from)
	if err != nil {
		return "", fmt.Errorf("-resume %s: %w", from, withoutPath(err))
	}
	path := filepath.Clean(from)
	if info.IsDir() {
		if path = findCheckpoint(from); path == "" {
			if r, ok := f.owner.killed(from); ok {
				return "", cli.Refusalf("-resume %s: the run there was killed before its first checkpoint, so "+
					"there is nothing to go on from; start it again: %s", from,
					con.CommandLine(r.Args, nil, "resume"))
			}
			if _, err := os.Stat(filepath.Join(from, "summary.json")); err == nil {
				return "", fmt.Errorf("-resume %s: the run there is finished: there is nothing to go on with", from)
			}
			return "", fmt.Errorf("-resume %s: the folder has no checkpoint, want one of a run that "+
				"was interrupted", from)
		}
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(path), f.owner.mark())); !f.named && err == nil {
		f.dir = filepath.Dir(path)
	}
	return path, nil
}

// taken says which results a folder holds; "" for none.
func (h *held) taken() string {
	switch {
	case findCheckpoint(h.dir) != "":
		return "a run that is not finished"
	case h.existing["summary.json"]:
		return "the results of " + string(h.owner) + " " + h.mark.Command
	}
	return ""
}

// goOn is the command line that resumes the folder's run: the one that started it, or the current
// one if that is unknown.
func (h *held) goOn(con *cli.Console) string {
	args := h.earlier.Args
	if h.earlier.Process == 0 {
		args = con.Args()
	}
	return con.CommandLine(args, []string{"-resume", h.dir}, "resume", "force")
}
