package folder

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bayeskernel/cmd/bkesample/internal/cli"
)

// Flags say where results go and what is printed of them.
type Flags struct {
	dir, format  string
	force, quiet bool
	command      string
	named        bool // -out was given
}

// Define gives every command a folder of its own, as each writes a summary.json and a figure; own
// defines more flags of the command.
func (f *Flags) Define(s *cli.FlagSet, command string, own func()) {
	f.command = command
	dir := "bkesample-out"
	if command != "sample" {
		dir += "/" + command
	}
	s.Group("Output")
	s.Text(&f.dir, "out", dir, "the `folder` to write into, made if need be; it holds the results of "+
		"one command. Without this flag earlier results are kept: the next go to "+dir+"-2")
	s.Yes(&f.force, "force", "write into the folder even if it holds results, which are replaced, an "+
		"unfinished run, which is given up, or other files, which are left alone")
	record := "summary.json"
	if command == "causal" {
		record = "graph.json"
	}
	s.Choice(&f.format, "format", "text", []string{"text", "json"}, "`what` is printed: text, or "+
		"json, the contents of "+record)
	if own != nil {
		own()
	}
	s.Yes(&f.quiet, "quiet", "print nothing but errors")
	s.ShowVersion()
}

// Check finds what is wrong with the flags.
func (f *Flags) Check(s *cli.FlagSet) error {
	f.named = s.Given("out")
	if f.dir == "" {
		return cli.Usagef("-out is empty, want the name of a folder")
	}
	return nil
}

// Hush shows no progress and no warnings if none are wanted.
func (f *Flags) Hush(con *cli.Console) {
	if f.quiet {
		con.Screen, con.Quiet = nil, true
	}
}

// Print writes the results to standard output: the contents of summary.json, or as text.
func (f *Flags) Print(con *cli.Console, summary any, text func(io.Writer) error) error {
	switch {
	case f.quiet:
		return nil
	case f.format == "json":
		return writeJSON(con.Stdout, summary)
	}
	return text(con.Stdout)
}

// In runs do in the folder of the command, which no other process can use meanwhile. Resume is the
// checkpoint to go on from, or the folder that has it; "" for none.
func (f *Flags) In(con *cli.Console, resume string, do func(*Folder) error) error {
	dir, err := f.open(con, resume)
	if err != nil {
		return err
	}
	return dir.close(do(dir))
}

// open finds the folder and holds it.
func (f *Flags) open(con *cli.Console, resume string) (*Folder, error) {
	if resume != "" {
		var err error
		if resume, err = f.resumed(resume); err != nil {
			return nil, err
		}
	}
	for k := 1; ; k++ {
		dir := f.dir
		if k > 1 {
			dir = fmt.Sprintf("%s-%d", strings.TrimRight(f.dir, `/\`), k)
		}
		h, err := hold(dir)
		if err != nil {
			return nil, err
		}
		here := resume != "" && filepath.Dir(resume) == filepath.Clean(dir)
		why := h.taken(f.command)
		if here && len(h.earlier.Args) > 0 && cli.CommandLine(con.Args(), nil, "resume", "out", "quiet",
			"format") == "bkesample" {
			h.letGo(true)
			return nil, cli.Refusalf("-resume %s: wants the other flags and the files of that run, as "+
				"here: %s", dir, h.goOn(con))
		}
		if why == "" || f.force || here {
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

// start makes the folder that of this run.
func (f *Flags) start(h *held, con *cli.Console, resume string, here bool) (*Folder, error) {
	if f.force && !here {
		for name := range h.existing {
			if strings.HasPrefix(name, Checkpoint) && isCheckpoint(filepath.Join(h.dir, name)) {
				if err := remove(filepath.Join(h.dir, name)); err != nil {
					h.letGo(h.found)
					return nil, err
				}
			}
		}
	}
	if err := h.take(con.Args()); err != nil {
		h.letGo(h.found)
		return nil, err
	}
	return &Folder{Dir: h.dir, Resume: resume, held: h, con: con}, nil
}

// resumed finds the checkpoint of -resume; without -out the results go where it is.
func (f *Flags) resumed(from string) (string, error) {
	info, err := os.Stat(from)
	if err != nil {
		return "", fmt.Errorf("-resume %s: %w", from, withoutPath(err))
	}
	path := filepath.Clean(from)
	if info.IsDir() {
		if path = findCheckpoint(from); path == "" {
			return "", fmt.Errorf("-resume %s: the folder has no checkpoint, want one of a run that "+
				"was interrupted", from)
		}
	}
	if !f.named && (info.IsDir() || ours.MatchString(filepath.Base(path))) {
		f.dir = filepath.Dir(path)
	}
	return path, nil
}

// taken says what a folder holds that keeps a run of the command out; "" for nothing.
func (h *held) taken(command string) string {
	if findCheckpoint(h.dir) != "" {
		return "a run that is not finished"
	}
	if owner := h.owner(); owner != "" {
		return "the results of bkesample " + owner
	}
	var foreign []string
	for name := range h.existing {
		info, err := os.Stat(filepath.Join(h.dir, name))
		if err == nil && !info.IsDir() && !ours.MatchString(name) && name[0] != '.' {
			foreign = append(foreign, name)
		}
	}
	slices.Sort(foreign)
	switch k := len(foreign); {
	case k > 3:
		return fmt.Sprintf("%d files that are not bkesample's, such as %s", k, foreign[0])
	case k > 0:
		return "what is not bkesample's: " + strings.Join(foreign, ", ")
	}
	return ""
}

// owner is the command that left a summary in the folder, "" if none did.
func (h *held) owner() string {
	var left struct {
		Command string `json:"command"`
	}
	b, err := os.ReadFile(filepath.Join(h.dir, "summary.json"))
	if err != nil || json.Unmarshal(b, &left) != nil {
		return ""
	}
	return left.Command
}

// goOn is the command that goes on with the run that the folder holds: the one that began it, or if
// that is not known the one that was typed now.
func (h *held) goOn(con *cli.Console) string {
	args := h.earlier.Args
	if h.earlier.Process == 0 {
		args = con.Args()
	}
	return cli.CommandLine(args, []string{"-resume", h.dir}, "resume", "force")
}

// GoOn is the command that goes on with the run of this folder.
func (d *Folder) GoOn() string {
	return cli.CommandLine(d.con.Args(), []string{"-resume", d.Dir}, "resume", "force")
}
