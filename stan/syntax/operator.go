package syntax

// operators are the functions that do what an operator does, as in add(x, y); the unary ones begin with a space.
var operators = map[string]string{
	"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "elt_multiply": ".*", "elt_divide": "./",
	"modulus": "%", "mdivide_left": "\\", "mdivide_right": "/",
	"logical_or": "||", "logical_and": "&&", "logical_eq": "==", "logical_neq": "!=",
	"logical_lt": "<", "logical_lte": "<=", "logical_gt": ">", "logical_gte": ">=",
	"minus": " -", "plus": " +", "logical_negation": " !",
}

// Operands is the number of arguments of a function that does what an operator does, 0 for other functions.
func Operands(function string) int {
	switch op := operators[function]; {
	case op == "":
		return 0
	case op[0] == ' ':
		return 1
	}
	return 2
}

// Operation is what a call of such a function does, as an operation; nil for other calls.
func (e *Call) Operation() Expr {
	n := Operands(e.Name)
	switch {
	case n == 0 || len(e.Args) != n:
		return nil
	case n == 1:
		return &Unary{e.Pos, operators[e.Name][1:], e.Args[0]}
	}
	return &Binary{e.Pos, operators[e.Name], e.Args[0], e.Args[1]}
}
