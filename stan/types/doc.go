// Package types checks programs in the Stan language before they run: names and their scopes, the types of
// expressions, calls of functions, and what each block allows.
//
// [Check] takes the tree of a program and the [Library] of functions there are, and returns the type of every
// expression, or all that is wrong, each with its place. The library is given, not known here: whoever adds
// a function to it writes its signature beside it, and the messages follow.
//
// A signature is written as programs declare functions, "vector rep_vector(real, int)", with words for
// arguments that may have several types; [Words] lists them.
package types
