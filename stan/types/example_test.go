package types_test

import (
	"fmt"

	"bayeskernel/stan/record"
	"bayeskernel/stan/syntax"
	"bayeskernel/stan/types"
)

func Example() {
	source := `data { int N; vector[N] y; }
parameters { real mu; }
model { y ~ normal(mu, "one"); }`
	tree, err := syntax.Parse(source)
	if err != nil {
		fmt.Println(err)
		return
	}
	library, err := record.Library()
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = types.Check(tree, library)
	for _, e := range err.(syntax.Errors) {
		fmt.Println(syntax.Show("model.stan", source, e))
	}
	// Output:
	// model.stan:3:24: argument 2 of normal is text, want real, vector, row_vector or array[] real
	//   model { y ~ normal(mu, "one"); }
	//                          ^
}
