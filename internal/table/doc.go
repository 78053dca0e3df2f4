// Package table reads tables of numbers from text files, for programs whose user is at a terminal.
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
//
// # Values
//
// Numbers are decimal, with or without an exponent. In files separated by semicolons the decimal
// mark may be a comma, but one file must not use both marks: the other would be likely to group
// thousands. A value is missing if it is empty or one of NA, N/A, #N/A, NaN, -nan, null, None, in
// upper or lower case, or a single point. Infinity, and whatever overflows a float64, is an error.
// In the columns of labels and of groups any text is a label, NA too; only an empty label is
// missing. Names and labels that are not UTF-8 are taken to be Latin-1. A weight is a positive
// number.
//
// # Errors
//
// Errors are meant to be shown to users as they are: one line which starts with the file's name,
// and with the line, counted as an editor does, and the column where there is one. The line is that
// on which the row begins. They speak of the flags -columns, -label and -na, which the programs
// that use this package share.
package table
