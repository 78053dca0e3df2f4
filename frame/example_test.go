package frame_test

import (
	"context"
	"fmt"
	"strings"

	"bayeskernel/frame"
)

func Example() {
	const file = `day,feed,weight,eggs
2024-03-01,linseed,179.5,1
2024-03-02,casein,368,0
2024-03-03,,379,2
`
	o := frame.Options{Missing: frame.KeepMissing}
	f, err := frame.From(context.Background(), strings.NewReader(file), "hens.csv", o)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range f.Names {
		c, _ := f.Column(name)
		fmt.Println(name, c.Kind, c.Floats(), c.Levels, c.Missing)
	}
	// Output:
	// day date [19783 19784 19785] [] 0
	// feed category [1 0 NaN] [casein linseed] 1
	// weight number [179.5 368 379] [] 0
	// eggs whole number [1 0 2] [] 0
}

func ExampleFrom() {
	const file = `# wind and temperature at two sites
site; wind; temp
north; 3,5; 12,0
south; 1,5; NA
south; 2,0; 17,5
`
	o := frame.Options{Columns: []string{"temp", "wind"}, Label: "site",
		Remedies: frame.Remedies{Missing: "-na drop"}}
	ctx := context.Background()
	if _, err := frame.From(ctx, strings.NewReader(file), "P.csv", o); err != nil {
		fmt.Println(err)
	}
	o.Missing = frame.DropMissing
	t, err := frame.From(ctx, strings.NewReader(file), "P.csv", o)
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
