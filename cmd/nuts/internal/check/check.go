// Package check is the command that reads a program and says what is wrong with it.
package check

import (
	"context"
	"fmt"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/nuts/internal/source"
)

// Command is the command.
func Command() cli.Command {
	return cli.Command{
		Name: "check", Args: "MODEL.stan",
		Summary: "read a program in the Stan language and say what is wrong",
		About: `Reads a program and shows each mistake with its line: of syntax, names, types, functions and blocks, and
what of the language is not supported. Old syntax is noted. -print writes the program in its canonical, modern
form. No data are needed. Sizes and values are checked when the program runs with data.`,
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			var print bool
			s.Group("What is printed")
			s.Yes(&print, "print", "write the program in its canonical form, without its comments")
			s.ShowVersion()
			return func(_ context.Context, con *cli.Console, files []string) error {
				if len(files) != 1 {
					return cli.Usagef("check takes one program, found %d files", len(files))
				}
				p, text, err := source.Program(con, files[0])
				if err != nil {
					return err
				}
				if print {
					_, err := fmt.Fprint(con.Stdout, p.Format())
					return err
				}
				var said strings.Builder
				for _, n := range p.Notes() {
					fmt.Fprintf(&said, "%s: note: %s\n", text.Where(n.Pos), n.Message)
				}
				fmt.Fprintf(&said, "%s reads well.\n", files[0])
				_, err = fmt.Fprint(con.Stdout, cli.Visible(said.String()))
				return err
			}
		},
	}
}
