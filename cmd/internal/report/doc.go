// Package report turns what a command found into what people and programs read.
//
// A command fills in one [Document]: the finding, the sections of the page with their tables and
// pictures, what the terminal shows, and the record for programs. From it come the text, the JSON
// with its schema, the HTML page and the pictures, in the same way for every command. Nothing is
// computed here: a document holds every number that is shown.
package report
