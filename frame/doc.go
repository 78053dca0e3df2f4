// Package frame reads tables: CSV and its relatives, JSON, and Parquet. A Frame has columns with types,
// whose values are float64s in any case, ready for arithmetic.
//
//	f, err := frame.Read(ctx, "hens.csv", frame.Options{})
//	c, ok := f.Column("weight") // c.Kind, c.Levels, c.Missing, c.Floats()
//
// What a text file is like is found out, not asked for. It may be compressed by gzip, begin with a
// byte order mark, and end its lines by LF, CRLF or CR. Fields are separated by commas, tabs,
// semicolons or runs of blanks, whichever the first lines agree on; a file with none of them has
// one column. Fields may be in double quotes, and then hold separators, line ends and, doubled,
// quotes. Blanks around a field do not count. Blank lines and lines that start with # are passed
// over.
//
// # Header
//
// The first row is a header if a field of it, in a column that is to be read, is text: neither a
// number nor a missing value. A first row that holds text beside a number with a fraction is data,
// unless Options.Numbers is set. The first row is also a header if it holds the very name that Options asks for, other
// than a whole number. Column names that are themselves numbers, as in "2019,2020", thus make no
// header, also where they are asked for. A name stands before a number: where a header has a column
// called 2, "2" means that one. A column which the header leaves nameless, as the row numbers of
// data frames and the space after a last separator are, is read only if asked for by its number.
// Columns under one name are told apart by their number, as "a (column 3)".
//
// # Values
//
// Numbers are decimal, with or without an exponent. In files separated by semicolons the decimal
// mark may be a comma, but one file must not use both marks: the other would be likely to group
// thousands. A value is missing if it is empty or one of NA, N/A, #N/A, NaN, -nan, null, in upper or
// lower case, or a single point. None is missing among numbers, and a text among texts. Infinity, and whatever overflows a float64, is an error.
// The words true and false, in upper or lower case, are the numbers 1 and 0. Labels and
// groups of text files are missing as values are, but for labels that Options.Levels asks for. Names and
// labels that are not UTF-8 are taken to be Latin-1. A weight is a positive number.
//
// # Types
//
// A column of numbers has the kind Number, or Whole if none of them has a fraction, or Boolean if all
// are true and false. A column with any text in it has the kind Category: its values are places in
// Type.Levels. If all texts of a column are dates such as 2024-02-29, its kind is Date and its values are
// days since 1970-01-01. If they have a time of day, such as 2024-02-29 12:30:00 or
// 2024-02-29T12:30:00Z, its kind is Time and its values are seconds since then. Type.Format writes a value
// as the file had it. With Options.Numbers, text and dates are errors.
//
// # JSON and Parquet
//
// JSON lines have an object for each row, and so may a list. Parquet files are recognized by their
// first bytes, whatever they are called, also within gzip and at standard input. Both declare types:
// their strings are categories also where they look like numbers, and their booleans, dates and times
// have these kinds. Times of day in Parquet have the kind Clock, in seconds. As labels, values are
// written as Type.Format does. See package parquet below for its other types.
//
// # Several files
//
// ReadAll puts the rows of several files together, whose columns must be the same. They may stand
// in another order if the files have headers. Match does the same for the two samples of a test.
//
// # Errors
//
// Errors are meant to be shown to users as they are. What is wrong with a file is told at once, in
// the *Problems that is returned: at most ten lines, each of which starts with the name
// of the file, and with the line, counted as an editor does, or the row of a binary file, and the
// column where there is one. The line is that on which the row begins. A column in which no value
// is a number is one problem, not one in each row, and so are all missing values together. Advice is
// given once, in the words of Options.Remedies.
//
// # Notes
//
// Frame.Notes holds what is not wrong but may surprise: columns under one name, columns in another
// order, equal contents. Each is a sentence and a few fields.
package frame
