package main

import (
	"context"
	"encoding/json"
	"strings"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/tell"
)

func schemaCommand() cli.Command {
	names := append(tell.SchemaNames(), tell.GraphName)
	return cli.Command{
		Name: "schema", Args: "[" + strings.Join(names, "|") + "]", Words: names,
		Summary: "print the JSON Schema of summary.json, or of graph.json",
		About: `Prints the JSON Schema (draft 2020-12) of the file summary.json, which every command leaves
and -format json prints: of the command that is named, or of all of them. pairs is what is written
of more than two groups. graph is that of graph.json, which bkesample causal -format json prints.
The schema has the version that stands under schema_version: it goes up when a key changes its
meaning or goes away, not when one is added.`,
		Flags: func(*cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			return func(_ context.Context, con *cli.Console, words []string) error {
				if len(words) > 1 {
					return cli.Usagef("found %d names, want one of %s, or none", len(words), cli.OrList(names))
				}
				s, err := tell.Schema(strings.Join(words, ""))
				if err != nil {
					return cli.Usagef("%v", err)
				}
				out := json.NewEncoder(con.Stdout)
				out.SetIndent("", "  ")
				out.SetEscapeHTML(false)
				return out.Encode(s)
			}
		},
	}
}
