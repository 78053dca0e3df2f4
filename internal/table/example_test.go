package table_test

import (
	"fmt"
	"strings"

	"bayeskernel/internal/table"
)

func ExampleRead() {
	const file = `# wind and temperature at two sites
site; wind; temp
north; 3,5; 12,0
south; 1,5; NA
south; 2,0; 17,5
`
	o := table.Options{Columns: []string{"temp", "wind"}, Label: "site",
		Remedies: table.Remedies{Missing: "-na drop"}}
	if _, err := table.Read(strings.NewReader(file), "P.csv", o); err != nil {
		fmt.Println(err)
	}
	o.Missing = table.DropMissing
	t, err := table.Read(strings.NewReader(file), "P.csv", o)
	if err != nil {
		fmt.Println(err)
		return
	}
	levels, parts, err := t.Split()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t.Names, "without", t.Dropped, "row")
	for k, level := range levels {
		fmt.Println(level, parts[k].RawRowView(0))
	}
	// Output:
	// P.csv: line 4, column "temp": the value is missing ("NA"); -na drop leaves such rows out
	// [temp wind] without 1 row
	// north [12 3.5]
	// south [17.5 2]
}
