// Package merge is the command that puts the shards of a run together.
package merge

import (
	"context"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/folder"
)

// Command is the command.
func Command() cli.Command {
	return cli.Command{
		Name: "merge", Args: "FOLDER ...",
		Summary: "put the shards of one run together",
		About:   folder.MergeAbout,
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			out := ""
			s.Group("Output")
			s.Text(&out, "out", "", "the `folder` to put them into, a new one")
			return func(_ context.Context, con *cli.Console, folders []string) error {
				return folder.Merge(con, out, folders)
			}
		},
	}
}
