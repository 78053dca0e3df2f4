// Package parquet reads Parquet files for package frame, with all compressions but LZO and the LZ4
// of old Hadoop versions.
//
// # What columns become
//
// Integers, floating-point numbers and decimals are numbers: the float64 that is nearest to the
// value, as in a CSV file that holds all its digits. So a 32-bit 0.1 becomes 0.10000000149011612,
// which it is, while programs often write 0.1 to CSV for it. Booleans are 0 and 1. Strings,
// enumerations, JSON and identifiers (UUID) are text, and so are bytes of no declared type. Dates are
// days since 1970-01-01, timestamps the seconds since then, and times of the day the seconds since
// midnight. As columns of labels, numbers are written with as many digits as they need, booleans as
// true and false, dates and times as 2026-03-01, 2026-03-01 12:30:00 (with a Z at the end if the file
// says UTC) and 12:30:00. Lists, structs and maps are refused, as are intervals, BSON and geometries.
//
// A null is a missing value, and so is NaN. The row index of a data frame, which pandas calls
// __index_level_0__, is a column without a name, as it is in CSV: it is read only if asked for by
// number.
//
// # Damaged files
//
// Files may be cut or damaged, and the library panics on some of those. Such panics become errors.
package parquet
