package frame

import "bytes"

// separators in the order in which they are preferred. A semicolon stands before a comma, which
// beside it is a decimal mark. The blank stands for runs of blanks.
const separators = "\t;, "

// sampleRecords is how many records the separator is found from.
const sampleRecords = 200

// separator returns the byte that separates the fields of the sample, ' ' for runs of blanks, or 0
// if there is but one column.
//
// It is the first that splits all records alike into at least two fields. If none does, the file is
// ragged, and the choice is made so that the error says so: a comma or the like in all records, or
// else in most of those that have any.
func separator(sample []byte) byte {
	var (
		records int
		first   [len(separators)]int // fields in the first record
		alike   [len(separators)]bool
		has     [len(separators)]int // records with more than one field
	)
	for len(sample) > 0 && records < sampleRecords {
		var fields [len(separators)]int
		line, rest, _ := bytes.Cut(sample, []byte("\n"))
		if passOver(line, 0) {
			sample = rest
			continue
		}
		fields, sample = countFields(sample)
		for k, n := range fields {
			if records == 0 {
				first[k], alike[k] = n, n > 1
			}
			alike[k] = alike[k] && n == first[k]
			if n > 1 {
				has[k]++
			}
		}
		records++
	}
	const blank = len(separators) - 1
	best := 0
	for k := range blank {
		if alike[k] {
			return separators[k]
		}
		if has[k] > has[best] {
			best = k
		}
	}
	for k := 1; k < blank; k++ { // tabs are also blanks, which may separate by their runs
		if has[k] == records && records > 0 {
			return separators[k]
		}
	}
	switch {
	case alike[blank]:
		return ' '
	case has[best] > 0 && (separators[best] != '\t' || 2*has[blank] <= records):
		return separators[best]
	case 2*has[blank] > records: // fewer have blanks within a name
		return ' '
	}
	return 0
}

// countFields returns how many fields the record at the start of b has by each separator, and what
// follows the record. Within quotes nothing separates.
func countFields(b []byte) (fields [len(separators)]int, rest []byte) {
	const blank = len(separators) - 1
	for k := range blank {
		fields[k] = 1
	}
	quoted, word := false, false
	for i, c := range b {
		if c == '"' {
			quoted = !quoted
		}
		if quoted {
			if !word {
				word = true
				fields[blank]++
			}
			continue
		}
		if c == '\n' {
			return fields, b[i+1:]
		}
		for k := range blank {
			if c == separators[k] {
				fields[k]++
			}
		}
		if c == ' ' || c == '\t' {
			word = false
		} else if !word {
			word = true
			fields[blank]++
		}
	}
	return fields, nil
}
