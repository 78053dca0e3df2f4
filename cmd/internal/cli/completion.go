package cli

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"
)

// shells are the shells that Completion supports.
var shells = []string{"bash", "zsh", "fish"}

// Completion is the command that prints a shell's completion script.
func Completion(p *Program) Command {
	return Command{
		Name: "completion", Args: "bash|zsh|fish", Words: shells,
		Summary: "print a script that lets a shell complete commands, flags and their values",
		About: strings.ReplaceAll(`Prints a script for the shell that is named. For bash: source <(PROGRAM completion bash), best
in ~/.bashrc. For zsh: PROGRAM completion zsh > ~/.zsh/_PROGRAM, where ~/.zsh is in fpath.
For fish: PROGRAM completion fish > ~/.config/fish/completions/PROGRAM.fish.`, "PROGRAM", p.Name),
		Flags: func(*FlagSet) func(context.Context, *Console, []string) error {
			return func(_ context.Context, con *Console, words []string) error {
				if len(words) != 1 {
					return Usagef("found %s, want one of %s", Plural(len(words), "shell"), OrList(shells))
				}
				var b strings.Builder
				switch words[0] {
				case "bash":
					p.bash(&b)
				case "zsh":
					p.zsh(&b)
				case "fish":
					p.fish(&b)
				default:
					return Usagef("unknown shell %q, want %s", words[0], OrList(shells))
				}
				_, err := io.WriteString(con.Stdout, strings.ReplaceAll(b.String(), "PROGRAM", p.Name))
				return err
			}
		},
	}
}

// flagUse is what completion and the man page say about a flag.
type flagUse struct {
	name, kind, usage string
	values            []string // those there are, if they are few
	dir               bool     // the value is a folder
}

// uses lists the flags of a command by groups.
func (p *Program) uses(c Command) (titles []string, groups [][]flagUse) {
	set := p.newFlagSet(c)
	c.Flags(set)
	for _, g := range set.groups {
		var list []flagUse
		for _, n := range g.names {
			f := set.Lookup(n)
			u := flagUse{name: n}
			u.kind, u.usage = flag.UnquoteUsage(f)
			if isBool(f) {
				u.kind = ""
			}
			if v, ok := f.Value.(*choiceValue); ok {
				u.values = v.words
			}
			if d := f.DefValue; d != "" && d != "false" && d != "0" {
				u.usage += " (default " + d + ")"
			}
			u.dir = u.kind == "folder"
			list = append(list, u)
		}
		titles, groups = append(titles, g.title), append(groups, list)
	}
	return titles, groups
}

func commandNames(all []Command) []string {
	var names []string
	for _, c := range all[1:] { // the first needs no name
		names = append(names, c.Name)
	}
	return names
}

func (p *Program) bash(w io.Writer) {
	all := p.Commands
	fmt.Fprintf(w, `# bash completion of PROGRAM
_PROGRAM() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} cmd=%s
  COMPREPLY=()
  if [[ $COMP_CWORD -gt 1 ]]; then
    case ${COMP_WORDS[1]} in
      %s) cmd=${COMP_WORDS[1]} ;;
    esac
  fi
  case $cmd:${prev#-} in
`, all[0].Name, strings.Join(commandNames(all), "|"))
	for _, c := range all {
		_, groups := p.uses(c)
		for _, g := range groups {
			for _, f := range g {
				switch {
				case f.values != nil:
					fmt.Fprintf(w, "    %s:-%s|%s:%s) COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;\n",
						c.Name, f.name, c.Name, f.name, strings.Join(f.values, " "))
				case f.kind != "":
					fmt.Fprintf(w, "    %s:-%s|%s:%s) return ;;\n", c.Name, f.name, c.Name, f.name)
				}
			}
		}
	}
	fmt.Fprintf(w, "  esac\n  if [[ $cur == -* ]]; then\n    case $cmd in\n")
	for _, c := range all {
		var flags []string
		_, groups := p.uses(c)
		for _, g := range groups {
			for _, f := range g {
				flags = append(flags, "-"+f.name)
			}
		}
		fmt.Fprintf(w, "      %s) COMPREPLY=($(compgen -W '%s' -- \"$cur\")) ;;\n", c.Name,
			strings.Join(append(flags, "-h"), " "))
	}
	fmt.Fprintf(w, "    esac\n    return\n  fi\n")
	for _, c := range all {
		if words := c.Words; words != nil {
			fmt.Fprintf(w, "  if [[ $cmd == %s ]]; then\n    COMPREPLY=($(compgen -W '%s' -- \"$cur\"))\n"+
				"    return\n  fi\n", c.Name, strings.Join(words, " "))
		}
	}
	fmt.Fprintf(w, `  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W '%s' -- "$cur") $(compgen -f -- "$cur"))
  fi
}
complete -o default -F _PROGRAM PROGRAM
`, strings.Join(commandNames(all), " "))
}

func (p *Program) zsh(w io.Writer) {
	all := p.Commands
	fmt.Fprintf(w, "#compdef PROGRAM\n# zsh completion of PROGRAM\n\n_PROGRAM() {\n"+
		"  local cmd=%s\n  if (( CURRENT > 2 )); then\n    case ${words[2]} in\n"+
		"      %s) cmd=${words[2]}; shift words; (( CURRENT-- )) ;;\n    esac\n  fi\n  case $cmd in\n",
		all[0].Name, strings.Join(commandNames(all), "|"))
	quoted := strings.NewReplacer("'", "'\\''", "[", "\\[", "]", "\\]", ":", "\\:")
	for i, c := range all {
		fmt.Fprintf(w, "    %s) _arguments \\\n", c.Name)
		_, groups := p.uses(c)
		for _, g := range groups {
			for _, f := range g {
				value := ""
				switch {
				case f.values != nil:
					value = ":" + f.kind + ":(" + strings.Join(f.values, " ") + ")"
				case f.dir:
					value = ":" + f.kind + ":_files -/"
				case f.kind != "":
					value = ":" + f.kind + ":_files"
				}
				fmt.Fprintf(w, "      '-%s[%s]%s' \\\n", f.name, quoted.Replace(Shorten(f.usage, 80)), value)
			}
		}
		switch words := c.Words; {
		case words != nil:
			fmt.Fprintf(w, "      '1:word:(%s)' ;;\n", strings.Join(words, " "))
		case i == 0:
			fmt.Fprintf(w, "      '1:command or file:{_values command %s; _files}' '*:file:_files' ;;\n",
				strings.Join(commandNames(all), " "))
		default:
			fmt.Fprintf(w, "      '*:file:_files' ;;\n")
		}
	}
	fmt.Fprintf(w, "  esac\n}\n\n_PROGRAM \"$@\"\n")
}

func (p *Program) fish(w io.Writer) {
	all := p.Commands
	names := strings.Join(commandNames(all), " ")
	quoted := strings.NewReplacer(`\`, `\\`, "'", `\'`)
	fmt.Fprintf(w, "# fish completion of PROGRAM\n")
	for _, c := range all[1:] {
		fmt.Fprintf(w, "complete -c PROGRAM -n 'not __fish_seen_subcommand_from %s' -a %s -d '%s'\n",
			names, c.Name, quoted.Replace(c.Summary))
	}
	for i, c := range all {
		when := "__fish_seen_subcommand_from " + c.Name
		if i == 0 {
			when = "not __fish_seen_subcommand_from " + names
		}
		_, groups := p.uses(c)
		for _, g := range groups {
			for _, f := range g {
				value := ""
				switch {
				case f.values != nil:
					value = " -x -a '" + strings.Join(f.values, " ") + "'"
				case f.kind != "":
					value = " -r"
				}
				fmt.Fprintf(w, "complete -c PROGRAM -n '%s' -o %s%s -d '%s'\n", when, f.name, value,
					quoted.Replace(Shorten(f.usage, 80)))
			}
		}
		if words := c.Words; words != nil {
			fmt.Fprintf(w, "complete -c PROGRAM -n '%s' -f -a '%s'\n", when, strings.Join(words, " "))
		}
	}
}
