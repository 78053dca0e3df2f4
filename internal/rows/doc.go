// Package rows computes what needs a table of numbers and no kernel: checked copies, sorted and
// distinct rows, spreads and quantiles of columns, k-means, and the plane that the rows span.
//
// A table is a flat slice of dim numbers a row. Nothing here depends on the order of the rows
// unless it says so. Two samples are pooled before anything is learned from them; if the result
// depended on which row came from which sample, a permutation test would not be exact. Errors carry
// no package name; the caller, who knows what was asked for, puts its own in front.
package rows
