package study

import (
	"context"
	"fmt"

	"bayeskernel/bke/inputs"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/internal/shards"
	"bayeskernel/summary"
)

// StreamedData reads files in two passes, one for the plan and one for the summary, as the commands plan and
// summarize do, and returns the data set of the summary. No rows are kept but those of the plan. Thetas are the
// centres of the windows; nil for the modes in a sample of the rows.
func StreamedData(ctx context.Context, con *cli.Console, m *ModelFlags, files *input.Streamed, thetas []float64) (
	*summary.Summary, *input.Dataset, error) {
	line := con.Working("reading files")
	defer line.End()
	read := shards.Options{Columns: files.Columns, Skip: files.Skip, Progress: line.StepLeft}
	var units []shards.Unit
	for k, list := range files.Files {
		more, err := shards.Units(ctx, string(rune('P'+k)), list, read)
		if err != nil {
			return nil, nil, err
		}
		units = append(units, more...)
	}
	pilot, names, err := shards.Pilot(ctx, summary.PilotRows, m.Seed, units, read)
	if err != nil {
		return nil, nil, err
	}
	o, err := m.planOptions(con, names)
	if err != nil {
		return nil, nil, err
	}
	o.Thetas = thetas
	plan, err := summary.NewPlan(ctx, pilot, o)
	if err != nil {
		return nil, nil, err
	}
	read.Columns = plan.Columns
	sum, err := shards.Summarise(ctx, plan, true, units, read)
	if err != nil {
		return nil, nil, err
	}
	total := int64(0)
	for _, name := range sum.Samples() {
		n, skipped := sum.Rows(name)
		total += n
		if n < 2 {
			return nil, nil, fmt.Errorf("found %s without missing values and %d with, want at least 2",
				cli.Plural(int(n), "row"), skipped)
		}
	}
	if total != plan.Rows {
		return nil, nil, fmt.Errorf("had %d rows when it was read first and %d then: it must not change meanwhile", plan.Rows, total)
	}
	d, err := Summarised(sum, "the summary of the rows")
	if err == nil {
		err = files.Describe(con, d)
	}
	return sum, d, err
}

// planOptions are those of a plan that the flags describe.
func (m *ModelFlags) planOptions(con *cli.Console, columns []string) (o summary.PlanOptions, err error) {
	o = summary.PlanOptions{Columns: columns, Called: Standardized(m.Standardize, len(columns)),
		Inputs: inputs.Options{Number: m.Inputs, Seed: m.Seed}}
	o.Standardize = o.Called == "columns"
	if o.Model, err = m.options(); err != nil {
		return o, err
	}
	return o, ReadInputs(con, &o.Inputs, m.InputsFrom, m.inputsFile)
}
