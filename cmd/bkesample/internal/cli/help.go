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
func printHelp(w io.Writer, all []Command, c Command) {
	name := "bkesample"
	if c.Name != all[0].Name {
		name += " " + c.Name
	}
	fmt.Fprintf(w, "usage: %s [flags] %s\n\n%s\n", name, c.Args, c.About)
	set := newFlagSet(c)
	c.Flags(set)
	for _, g := range set.groups {
		fmt.Fprintf(w, "\n%s\n", g.title)
		for _, n := range g.names {
			f := set.Lookup(n)
			kind, usage := flag.UnquoteUsage(f)
			head := "  -" + n
			if kind != "" && !isBool(f) {
				head += " " + kind
			}
			if d := f.DefValue; d != "" && d != "false" && d != "0" {
				usage += " (default " + d + ")"
			}
			fmt.Fprintf(w, "%s\n", head)
			for _, line := range Wrap(usage, 88) {
				fmt.Fprintf(w, "        %s\n", line)
			}
		}
	}
	fmt.Fprintf(w, "\nCommands (bkesample COMMAND -h describes each):\n")
	for _, c := range all {
		fmt.Fprintf(w, "  %-13s %s\n", c.Name, c.Summary)
	}
	fmt.Fprintf(w, "\nPNG pictures show letters other than Latin, Greek and Cyrillic as boxes; SVG "+
		"pictures show them all.\n")
	fmt.Fprintf(w, "\nExit codes: 0 done, 1 failed, 2 wrong use, 3 done but the diagnostics are "+
		"bad (-strict),\n130 interrupted.\n")
}

func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// Version says which build this is.
func Version() string {
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
	return fmt.Sprintf("bkesample %s%s (%s, %s/%s)", v, rev, runtime.Version(), runtime.GOOS,
		runtime.GOARCH)
}
