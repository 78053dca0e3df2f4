// Package syntax reads programs in the Stan language.
//
// [Parse] turns the text of a program into a tree, or into errors, each with its place. It reads the
// modern language and, with a note, what older programs have: arrays declared as real x[N], <- for =,
// comments that begin with #, increment_log_prob. [Format] prints a tree in its canonical form, which is
// modern. What types expressions have, and what functions there are, is not known here.
//
// The parser descends recursively; binary operators go by the table of levels in expr.go. An error ends
// the statement that it is in, and reading goes on behind the next semicolon, so that one run tells all.
package syntax
