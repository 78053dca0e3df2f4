module bayeskernel/internal/product/gen

go 1.26.0

require (
	github.com/mmcloughlin/avo v0.5.0
	golang.org/x/mod v0.6.0
	golang.org/x/sys v0.1.0
	golang.org/x/tools v0.2.0
)
