package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// Manual is the command that prints the man page.
func Manual(p *Program) Command {
	return Command{
		Name: "man", Summary: "print the man page",
		About: strings.ReplaceAll(`Prints the man page, made from the flags of all commands. To read it:
PROGRAM man > PROGRAM.1; man ./PROGRAM.1`, "PROGRAM", p.Name),
		Flags: func(*FlagSet) func(context.Context, *Console, []string) error {
			return func(_ context.Context, con *Console, words []string) error {
				if len(words) > 0 {
					return Usagef("found %q, want nothing after man", words[0])
				}
				var b strings.Builder
				p.man(&b)
				_, err := io.WriteString(con.Stdout, b.String())
				return err
			}
		},
	}
}

// roff escapes a text for man.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`).Replace(s)
	if strings.HasPrefix(s, ".") {
		s = `\&` + s
	}
	return s
}

func (p *Program) man(w io.Writer) {
	all := p.Commands
	fmt.Fprintf(w, ".TH %s 1 \"\" \"%s\" \"User Commands\"\n", strings.ToUpper(p.Name), roff(p.Version()))
	fmt.Fprintf(w, ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n", p.Name, roff(p.Purpose))
	for _, c := range all {
		fmt.Fprintf(w, ".B %s\n", roff(p.title(c)))
		if use := p.usage(c); use != "" {
			fmt.Fprintf(w, "%s\n", roff(use))
		}
		fmt.Fprintf(w, ".br\n")
	}
	fmt.Fprintf(w, ".SH DESCRIPTION\n%s\n", roff(strings.ReplaceAll(all[0].About, "\n", " ")))
	for i, c := range all {
		fmt.Fprintf(w, ".SH %s\n", roff(strings.ToUpper(p.title(c))))
		if i > 0 {
			fmt.Fprintf(w, "%s\n", roff(strings.ReplaceAll(c.About, "\n", " ")))
		}
		titles, groups := p.uses(c)
		for k, g := range groups {
			fmt.Fprintf(w, ".SS %s\n", roff(titles[k]))
			for _, f := range g {
				fmt.Fprintf(w, ".TP\n.B %s", roff("-"+f.name))
				if f.kind != "" {
					fmt.Fprintf(w, " \\fI%s\\fR", roff(f.kind))
				}
				fmt.Fprintf(w, "\n%s\n", roff(f.usage))
			}
		}
	}
	fmt.Fprintf(w, ".SH EXIT STATUS\n")
	for _, c := range []struct {
		code int
		text string
	}{{exitDone, "done"}, {ExitFailed, "failed"}, {ExitUsage, "wrong use"},
		{ExitDiagnostics, "done, but the diagnostics of the draws are bad (with -strict)"},
		{ExitRejected, "done, and a null hypothesis was rejected (with -exit-code)"},
		{ExitInterrupted, "interrupted"}} {
		fmt.Fprintf(w, ".TP\n.B %d\n%s\n", c.code, roff(c.text))
	}
}

// title is how a command is called.
func (p *Program) title(c Command) string {
	if c.Name == p.Commands[0].Name {
		return p.Name
	}
	return p.Name + " " + c.Name
}

// usage is what follows the name.
func (p *Program) usage(c Command) string {
	set := p.newFlagSet(c)
	c.Flags(set)
	if len(set.groups) == 0 {
		return c.Args
	}
	return "[flags] " + c.Args
}
