// Package table reads tables of numbers from files, for programs whose user is at a terminal: text,
// and binary formats that the caller names, such as that of package table/parquet.
//
// What the file is like is found out, not asked for. It may be compressed by gzip, begin with a
// byte order mark, and end its lines by LF, CRLF or CR. Fields are separated by commas, tabs,
// semicolons or runs of blanks, whichever the first lines agree on; a file with none of them has
// one column. Fields may be in double quotes, and then hold separators, line ends and, doubled,
// quotes. Blanks around a field do not count. Blank lines and lines that start with # are passed
// over.
//
// # Header
//
// The first row is a header if a field of it, in a column that is to be read, is text: neither a
// number nor a missing value. It is also one if it holds the very name that Options asks for, other
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
// thousands. A value is missing if it is empty or one of NA, N/A, #N/A, NaN, -nan, null, None, in
// upper or lower case, or a single point. Infinity, and whatever overflows a float64, is an error.
// The words true and false, in upper or lower case, are the numbers 1 and 0. In the columns of
// labels and of groups any text is a label, NA too; only an empty label is missing. Names and
// labels that are not UTF-8 are taken to be Latin-1. A weight is a positive number.
//
// # Binary files
//
// A file of one of Options.Formats is recognized by its first bytes, whatever it is called, also
// within gzip and at standard input. It gives the same table as the text file of the same values.
//
// # Several files
//
// OpenAll puts the rows of several files together, whose columns must be the same. They may stand
// in another order if the files have headers. Match does the same for the two samples of a test.
//
// # Errors
//
// Errors are meant to be shown to users as they are. What is wrong with a file is told at once, in
// the *Problems that Read and OpenAll return: at most ten lines, each of which starts with the name
// of the file, and with the line, counted as an editor does, or the row of a binary file, and the
// column where there is one. The line is that on which the row begins. A column in which no value
// is a number is one problem, not one in each row, and advice is given once, in the words of
// Options.Remedies.
//
// # Notes
//
// Table.Notes holds what is not wrong but may surprise: columns under one name, columns in another
// order, a column that only counts rows, equal contents. Each is a sentence and a few fields.
package table
