package frame_test

import (
	"bytes"
	"context"
	"fmt"

	pq "github.com/parquet-go/parquet-go"

	"bayeskernel/frame"
)

// A Parquet file declares its types.
func ExampleFrom_parquet() {
	type flower struct {
		Code   string  `parquet:"code"`
		Length float64 `parquet:"length"`
		Day    int32   `parquet:"day,date"`
		Wild   bool    `parquet:"wild"`
		Width  *int32  `parquet:"width,optional"`
	}
	two := int32(2)
	var file bytes.Buffer
	err := pq.Write(&file, []flower{{"01", 5.1, 19783, true, &two}, {"02", 6.3, 19784, false, nil}})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := frame.From(context.Background(), &file, "iris.parquet", frame.Options{Missing: frame.KeepMissing})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range f.Names {
		c, _ := f.Column(name)
		fmt.Println(name, c.Kind, c.Texts())
	}
	// Output:
	// code category [01 02]
	// length number [5.1 6.3]
	// day date [2024-03-01 2024-03-02]
	// wild boolean [true false]
	// width whole number [2 ]
}
