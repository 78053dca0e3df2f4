package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// Manual is the command that prints the man page; about says what the program is, and all lists its
// commands.
func Manual(about string, all func() []Command) Command {
	return Command{
		Name: "man", Summary: "print the man page",
		About: `Prints the man page, made from the flags of all commands. To read it:
bkesample man > bkesample.1; man ./bkesample.1`,
		Flags: func(*FlagSet) func(context.Context, *Console, []string) error {
			return func(_ context.Context, con *Console, words []string) error {
				if len(words) > 0 {
					return Usagef("found %q, want nothing after man", words[0])
				}
				var b strings.Builder
				man(&b, about, all())
				_, err := io.WriteString(con.Stdout, b.String())
				return err
			}
		},
	}
}

// roff writes a text so that a formatter takes it as it is.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`).Replace(s)
	if strings.HasPrefix(s, ".") {
		s = `\&` + s
	}
	return s
}

func man(w io.Writer, about string, all []Command) {
	fmt.Fprintf(w, ".TH BKESAMPLE 1 \"\" \"%s\" \"User Commands\"\n", roff(Version()))
	fmt.Fprintf(w, ".SH NAME\nbkesample \\- %s\n.SH SYNOPSIS\n", roff(about))
	for i, c := range all {
		fmt.Fprintf(w, ".B %s\n", roff(c.title(i)))
		if use := c.usage(); use != "" {
			fmt.Fprintf(w, "%s\n", roff(use))
		}
		fmt.Fprintf(w, ".br\n")
	}
	fmt.Fprintf(w, ".SH DESCRIPTION\n%s\n", roff(strings.ReplaceAll(all[0].About, "\n", " ")))
	for i, c := range all {
		fmt.Fprintf(w, ".SH %s\n", roff(strings.ToUpper(c.title(i))))
		if i > 0 {
			fmt.Fprintf(w, "%s\n", roff(strings.ReplaceAll(c.About, "\n", " ")))
		}
		titles, groups := c.uses()
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

// title is how command i of the program is called.
func (c *Command) title(i int) string {
	if i == 0 {
		return "bkesample"
	}
	return "bkesample " + c.Name
}

// usage is what follows the name.
func (c *Command) usage() string {
	set := newFlagSet(*c)
	c.Flags(set)
	if len(set.groups) == 0 {
		return c.Args
	}
	return "[flags] " + c.Args
}
