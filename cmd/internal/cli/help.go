package cli

import (
	"flag"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
)

// printHelp writes the help of a command.
func (p *Program) printHelp(w io.Writer, c Command) {
	fmt.Fprintf(w, "usage: %s\n\n%s\n", strings.TrimSpace(p.title(c)+" "+p.usage(c)), c.About)
	titles, groups := p.uses(c)
	has := map[string]bool{}
	for k, g := range groups {
		fmt.Fprintf(w, "\n%s\n", titles[k])
		for _, f := range g {
			has[f.name] = true
			fmt.Fprintf(w, "%s\n", strings.TrimRight("  -"+f.name+" "+f.kind, " "))
			for _, line := range Wrap(f.usage, 88) {
				fmt.Fprintf(w, "        %s\n", line)
			}
		}
	}
	if c.Name == p.Commands[0].Name {
		fmt.Fprintf(w, "\nCommands (%s COMMAND -h describes each):\n", p.Name)
		for _, c := range p.Commands {
			fmt.Fprintf(w, "  %-13s %s\n", c.Name, c.Summary)
		}
	} else {
		fmt.Fprintf(w, "\n%s -h lists all commands.\n", p.Name)
	}
	if has["out"] {
		fmt.Fprintf(w, "\nPNG pictures show letters other than Latin, Greek and Cyrillic as boxes; SVG "+
			"pictures show them all.\n")
	}
	codes := "Exit codes: 0 done, 1 failed, 2 wrong use"
	if has["strict"] {
		codes += ", 3 done but the diagnostics are bad (-strict)"
	}
	if has["exit-code"] {
		codes += ", 4 rejected (-exit-code)"
	}
	fmt.Fprintln(w)
	for _, line := range Wrap(codes+", 130 interrupted.", 96) {
		fmt.Fprintln(w, line)
	}
}

func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// Version says which build this is.
func (p *Program) Version() string {
	v, rev := "(devel)", ""
	if b, ok := debug.ReadBuildInfo(); ok {
		if b.Main.Version != "" {
			v = b.Main.Version
		}
		for _, s := range b.Settings {
			if s.Key == "vcs.revision" && !strings.Contains(v, s.Value[:min(12, len(s.Value))]) {
				rev = " " + s.Value[:min(12, len(s.Value))]
			}
		}
	}
	return fmt.Sprintf("%s %s%s (%s, %s/%s)", p.Name, v, rev, runtime.Version(), runtime.GOOS,
		runtime.GOARCH)
}
