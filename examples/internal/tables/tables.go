// Package tables has the tables of data that examples measure on.
package tables

import (
	"bytes"
	"embed"
	"encoding/csv"
	"fmt"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

//go:embed testdata/*.csv
var files embed.FS

// Read returns the features of a table, and the class of each row where it has a column of that
// name; testdata/PROVENANCE.md lists the tables.
func Read(name string) (x *mat.Dense, class []int, err error) {
	text, err := files.ReadFile("testdata/" + name + ".csv")
	if err != nil {
		return nil, nil, err
	}
	records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, nil, fmt.Errorf("tables: %s: %w", name, err)
	}
	columns := len(records[0])
	has := records[0][columns-1] == "class"
	if has {
		columns--
	}
	x = mat.NewDense(len(records)-1, columns, nil)
	for i, record := range records[1:] {
		for j, field := range record[:columns] {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				return nil, nil, fmt.Errorf("tables: row %d of %s: %w", i+1, name, err)
			}
			x.Set(i, j, v)
		}
		if has {
			c, err := strconv.Atoi(record[columns])
			if err != nil {
				return nil, nil, fmt.Errorf("tables: row %d of %s: %w", i+1, name, err)
			}
			class = append(class, c)
		}
	}
	return x, class, nil
}
