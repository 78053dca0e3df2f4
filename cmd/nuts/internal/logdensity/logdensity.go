// Package logdensity is the command that computes the log density of a program at given points.
package logdensity

import (
	"context"
	"encoding/json"
	"fmt"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/nuts/internal/source"
	"bayeskernel/stan"
)

// Command is the command.
func Command() cli.Command {
	return cli.Command{
		Name: "log-density", Args: "MODEL.stan [DATA.json] POINTS.json",
		Summary: "log density, gradient and values of a program at given points",
		About: `POINTS.json is a list of unconstrained points in Stan's order. Prints JSON: the names of parameters and
transformed parameters, and for each point the log density with the Jacobian and all constants, its
gradient, and the values. Where the program rejects a point its log density is "-Infinity".`,
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			var tol float64
			s.Group("What is computed")
			s.Number(&tol, "ode-tolerance", 0, "`tolerance` of differential equations, in the place of the program's")
			s.ShowVersion()
			return func(ctx context.Context, con *cli.Console, files []string) error {
				return run(ctx, con, files, tol)
			}
		},
	}
}

type record struct {
	Names  []string `json:"names" doc:"parameters and transformed parameters in Stan's order"`
	Points []point  `json:"points" doc:"in the order of the file"`
}

type point struct {
	LogDensity number   `json:"log_density" doc:"with the Jacobian and all constants"`
	Gradient   []number `json:"gradient" doc:"in the unconstrained coordinates"`
	Values     []number `json:"values" doc:"in the order of names"`
	Rejected   string   `json:"rejected,omitempty" doc:"why the program rejects the point"`
}

func run(ctx context.Context, con *cli.Console, files []string, tol float64) error {
	if len(files) < 2 || len(files) > 3 {
		return cli.Usagef("log-density takes MODEL.stan [DATA.json] POINTS.json, found %d files", len(files))
	}
	if tol < 0 {
		return cli.Usagef("-ode-tolerance is %v, want a positive number", tol)
	}
	data := ""
	if len(files) == 3 {
		data = files[1]
	}
	at := files[len(files)-1]
	b, err := source.JSON(at)
	if err != nil {
		return err
	}
	var points [][]float64
	if err := json.Unmarshal(b, &points); err != nil {
		return fmt.Errorf("%s: want a list of points, each a list of numbers: %w", at, err)
	}
	m, _, err := source.Bind(con, files[0], data, stan.Options{ODETolerance: tol})
	if err != nil {
		return err
	}
	out := record{Names: m.Names(), Points: []point{}}
	for k, u := range points {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(u) != m.Dim() {
			return fmt.Errorf("%s: point %d has %d coordinates, want %d", at, k+1, len(u), m.Dim())
		}
		grad := make([]float64, m.Dim())
		lp, values, err := m.Evaluate(u, grad)
		if err != nil && !stan.Rejected(err) {
			return err
		}
		p := point{LogDensity: number(lp), Gradient: numbers(grad)}
		if err != nil { // the model block may reject what the transformed parameters do not
			values, _ = m.Values(u)
			p.Rejected = err.Error()
		}
		p.Values = numbers(values)
		out.Points = append(out.Points, p)
	}
	e := json.NewEncoder(con.Stdout)
	return e.Encode(out)
}
