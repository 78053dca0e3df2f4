package graph_test

import (
	"fmt"
	"os"
	"strings"

	"bayeskernel/causal/graph"
)

func Example() {
	g, err := graph.FromEdges([]string{"age", "dose", "recovery"}, graph.Directed("age", "dose"),
		graph.Directed("age", "recovery"), graph.Directed("dose", "recovery"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g)
	a, _ := g.Adjust("dose", "recovery")
	fmt.Println("adjust for", strings.Join(a.Minimal, ", "))
	_ = g.WriteDagitty(os.Stdout)
	// Output:
	// age -> dose, age -> recovery, dose -> recovery
	// adjust for age
	// dag{
	// "age"
	// "dose"
	// "recovery"
	// "age" -> "dose"
	// "age" -> "recovery"
	// "dose" -> "recovery"
	// }
}
