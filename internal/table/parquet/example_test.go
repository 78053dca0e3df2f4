package parquet_test

import (
	"bytes"
	"fmt"
	"strings"

	pq "github.com/parquet-go/parquet-go"

	"bayeskernel/internal/table"
	"bayeskernel/internal/table/parquet"
)

func ExampleFormat() {
	type flower struct {
		Species string  `parquet:"Species"`
		Length  float64 `parquet:"Length"`
		Width   *int32  `parquet:"Width,optional"`
	}
	two := int32(2)
	var file bytes.Buffer
	err := pq.Write(&file, []flower{{"setosa", 5.1, &two}, {"virginica", 6.3, nil}})
	if err != nil {
		fmt.Println(err)
		return
	}
	o := table.Options{Formats: []table.Format{parquet.Format()},
		Remedies: table.Remedies{Columns: "-columns", Label: "-label", Missing: "-na drop"}}
	if _, err = table.Read(bytes.NewReader(file.Bytes()), "iris", o); err != nil {
		fmt.Println(err)
	}
	o.Label, o.Missing = "Species", table.DropMissing
	binary, err := table.Read(bytes.NewReader(file.Bytes()), "iris", o)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(binary.Names, binary.Data.RawRowView(0), binary.Labels, "without", binary.Dropped)
	const csv = "Species,Length,Width\nsetosa,5.1,2\nvirginica,6.3,\n"
	text, err := table.Read(strings.NewReader(csv), "iris.csv", o)
	fmt.Println(text.Hash() == binary.Hash(), err)
	// Output:
	// iris: row 1, column "Species": "setosa" is not a number; choose columns of numbers by -columns Length,Width, or use this one as -label Species
	// iris: row 2, column "Width": the value is missing; -na drop leaves such rows out
	// [Length Width] [5.1 2] [setosa] without 1
	// true <nil>
}
