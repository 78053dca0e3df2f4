package parquet

// For the tests, which read by package frame.
const Magic = magic

var (
	Half       = half
	UnpackLZ4  = unpackLZ4
	WithFooter = withFooter
	FileOf     = options
)
