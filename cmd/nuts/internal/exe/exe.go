// Package exe is the command that makes an executable of a program in the Stan language: a copy of the running
// program, or a script that calls it, with the text of the Stan program behind.
package exe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/nuts/internal/face"
	"bayeskernel/cmd/nuts/internal/source"
	"bayeskernel/internal/atomicfile"
)

// Command is the command.
func Command() cli.Command {
	return cli.Command{
		Name: "exe", Args: "MODEL.stan",
		Summary: "make an executable that is called as CmdStan's are, for cmdstanpy, cmdstanr and scripts",
		About: `Writes an executable that takes CmdStan's arguments and writes CmdStan's files, in a moment and without a compiler:
CmdStanModel(exe_file="model") and cmdstan_model(exe_file = "model") drive it. It knows the methods sample, optimize,
generate_quantities and log_prob, and info. The executable is a copy of this program; with -launcher, and always on macOS, which
wants executables signed, it is a small script that calls this program where it lies now.

What differs from CmdStan: the sampler and its warm-up are those of nuts. The warm-up has num_warmup transitions; their draws choose
the metric unless metric= is given, and the target acceptance rises where trajectories break unless delta= is given. gamma, kappa and
t0 have no effect. lp__ keeps all constants. Optimization runs L-BFGS whatever its algorithm= says. A chain follows from seed= and id=
alone. The files say so in comments that begin with bayeskernel_. diagnose, pathfinder, variational and laplace are not there.`,
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			var out string
			var launcher, words, force bool
			s.Group("What is written")
			s.Text(&out, "o", "", "the `file` to write; otherwise the program's without .stan, with .exe on Windows")
			s.Yes(&force, "force", "replace an executable that nuts exe did not make")
			s.Yes(&launcher, "launcher", "write a small script that calls this program instead of a copy of it")
			s.Yes(&words, "words", "let files say true and false instead of 1 and 0, as CmdStan does since 2.35: rstan before 2.33 does not read them, "+
				"later versions read nothing else")
			s.ShowVersion()
			return func(_ context.Context, con *cli.Console, args []string) error {
				if len(args) != 1 {
					return cli.Usagef("exe takes one program, found %d files", len(args))
				}
				return write(con, args[0], out, launcher || runtime.GOOS == "darwin", words, force)
			}
		},
	}
}

func write(con *cli.Console, file, out string, launcher, words, force bool) error {
	if launcher && runtime.GOOS == "windows" {
		return cli.Usagef("-launcher writes a script for a Unix shell, which Windows has not: leave it out")
	}
	_, text, err := source.Program(con, file)
	if err != nil {
		return err
	}
	name := strings.TrimSuffix(filepath.Base(file), ".stan")
	if out == "" {
		out = strings.TrimSuffix(file, ".stan")
		if runtime.GOOS == "windows" {
			out += ".exe"
		}
		if out == file {
			return cli.Usagef("%s does not end with .stan: give a name with -o", file)
		}
	}
	if err := cli.NotRead("o", out, file); err != nil {
		return err
	}
	if !force {
		if err := replaceable(out); err != nil {
			return err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	m := &face.Model{Name: name, Source: text.Source, Words: words}
	if err := atomicfile.Write(out, func(w io.Writer) error { return fill(w, self, launcher, m) }); err != nil {
		return err
	}
	if err := os.Chmod(out, 0o755); err != nil {
		return err
	}
	fmt.Fprintf(con.Stdout, "Wrote %s. Try: %s sample data file=data.json\n", out, called(out))
	return nil
}

// called is how a shell calls a file.
func called(path string) string {
	if filepath.Base(path) == path {
		return "." + string(filepath.Separator) + path
	}
	return path
}

// replaceable returns an error if a file is there that was not made by this command.
func replaceable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return cli.Refusalf("%s is a folder: give another name with -o", path)
	}
	if _, err := carried(path); err != nil {
		return cli.Refusalf("%s exists and was not made by nuts exe: give another name with -o, or -force", path)
	}
	return nil
}

// fill writes the executable: the part that runs, then the program.
func fill(w io.Writer, self string, launcher bool, m *face.Model) error {
	if launcher {
		quoted := "'" + strings.ReplaceAll(self, "'", `'\''`) + "'"
		if _, err := fmt.Fprintf(w, "#!/bin/sh\nexec %s %s \"$0\" \"$@\"\nexit 1\n", quoted, launch); err != nil {
			return err
		}
	} else {
		f, err := os.Open(self)
		if err != nil {
			return err
		}
		defer f.Close()
		if _, err := io.Copy(w, f); err != nil {
			return err
		}
	}
	return load(w, m)
}
