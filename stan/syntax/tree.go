package syntax

// Program is the tree of a program. Blocks that are not there are nil.
type Program struct {
	Functions             []*Function
	Data, TransformedData *Block
	Parameters            *Block
	TransformedParameters *Block
	Model, Generated      *Block
	Notes                 []Error // on old syntax, the first place of each
	Source                string
}

// Block is what stands between braces.
type Block struct {
	Pos   Pos
	Stmts []Stmt
}

// Function is a definition or, with a nil body, a declaration.
type Function struct {
	Pos     Pos
	Returns *Type // nil: void
	Name    string
	Params  []Param
	Body    *Block
}

// Param is an argument of a function.
type Param struct {
	Pos  Pos
	Data bool // depends on data alone
	Type *Type
	Name string
}

// Type is a type with its sizes and constraint. In arguments of functions, and as what these return,
// sizes are nil and Dims says how many dimensions the array has.
type Type struct {
	Pos   Pos
	Base  string  // "int", "vector", "cov_matrix", ...
	Sizes []Expr  // of vectors and matrices
	Array []Expr  // sizes of the array, nil entries where there are none
	Dims  int     // of the array
	Parts []*Type // of a tuple
	// The constraint: each nil where there is none.
	Lower, Upper, Offset, Multiplier Expr
}

// Stmt is a statement.
type Stmt interface{ At() Pos }

// Expr is an expression.
type Expr interface{ At() Pos }

// The statements.
type (
	// Decl declares a variable, with a value if Init is not nil.
	Decl struct {
		Pos  Pos
		Type *Type
		Name string
		Init Expr
	}
	// Assign gives a variable, or a part of one, a value; Op is "=", "+=", "-=", "*=", "/=", ".*=", "./=".
	Assign struct {
		Pos         Pos
		Left, Right Expr
		Op          string
	}
	// Tilde says that Left has a distribution, possibly truncated.
	Tilde struct {
		Pos          Pos
		Left         Expr
		Dist         string
		DistPos      Pos
		Args         []Expr
		Truncated    bool
		Lower, Upper Expr // nil where there is no limit
	}
	// Target adds to the log density: to that of the parameters as declared, or, with Jacobian, what a change of
	// variables adds.
	Target struct {
		Pos      Pos
		Value    Expr
		Jacobian bool
	}
	// If has a nil Else where there is none.
	If struct {
		Pos        Pos
		Cond       Expr
		Then, Else Stmt
	}
	// For counts from From to To or, with To nil, goes over the elements of From.
	For struct {
		Pos      Pos
		Name     string
		NamePos  Pos
		From, To Expr
		Body     Stmt
	}
	// While repeats.
	While struct {
		Pos  Pos
		Cond Expr
		Body Stmt
	}
	// Break leaves a loop.
	Break struct{ Pos Pos }
	// Continue goes on with the next turn of a loop.
	Continue struct{ Pos Pos }
	// Return ends a function; Value is nil in void ones.
	Return struct {
		Pos   Pos
		Value Expr
	}
	// Say is print, reject or fatal_error.
	Say struct {
		Pos  Pos
		What string
		Args []Expr
	}
	// Do calls a function that returns nothing.
	Do struct {
		Pos  Pos
		Call *Call
	}
	// Braces are statements with a scope of their own; Profile is the name of a profiled one.
	Braces struct {
		Pos     Pos
		Profile string
		Stmts   []Stmt
	}
	// Empty is a semicolon alone.
	Empty struct{ Pos Pos }
)

// The expressions.
type (
	// Name is a variable.
	Name struct {
		Pos  Pos
		Name string
	}
	// Int is a whole number as written.
	Int struct {
		Pos  Pos
		Text string
	}
	// Real is a number as written; Imaginary ones end with i.
	Real struct {
		Pos       Pos
		Text      string
		Imaginary bool
	}
	// Text is a text, with its quotes.
	Text struct {
		Pos  Pos
		Text string
	}
	// Call calls a function. Bar says that a | follows the first argument.
	Call struct {
		Pos  Pos
		Name string
		Args []Expr
		Bar  bool
	}
	// Index takes elements.
	Index struct {
		Pos Pos
		X   Expr
		By  []Subscript
	}
	// Field is an element of a tuple: x.1.
	Field struct {
		Pos Pos
		X   Expr
		N   string
	}
	// Unary is "-", "+" or "!" before, or "'" behind.
	Unary struct {
		Pos Pos
		Op  string
		X   Expr
	}
	// Binary is an operation of two.
	Binary struct {
		Pos  Pos // of the operator
		Op   string
		X, Y Expr
	}
	// Choice is c ? x : y.
	Choice struct {
		Pos     Pos
		C, X, Y Expr
	}
	// Array is {x, y}.
	Array struct {
		Pos   Pos
		Elems []Expr
	}
	// Row is [x, y]: a row vector, or a matrix of rows.
	Row struct {
		Pos   Pos
		Elems []Expr
	}
	// Tuple is (x, y).
	Tuple struct {
		Pos   Pos
		Elems []Expr
	}
	// Paren is an expression in parentheses.
	Paren struct {
		Pos Pos
		X   Expr
	}
)

// Subscript is x, lo:hi, lo:, :hi or : between brackets. Range says that there is a colon.
type Subscript struct {
	Pos    Pos
	Range  bool
	Lo, Hi Expr // Lo alone where there is no colon
}

// At returns where it begins.
func (s *Decl) At() Pos     { return s.Pos }
func (s *Assign) At() Pos   { return s.Pos }
func (s *Tilde) At() Pos    { return s.Pos }
func (s *Target) At() Pos   { return s.Pos }
func (s *If) At() Pos       { return s.Pos }
func (s *For) At() Pos      { return s.Pos }
func (s *While) At() Pos    { return s.Pos }
func (s *Break) At() Pos    { return s.Pos }
func (s *Continue) At() Pos { return s.Pos }
func (s *Return) At() Pos   { return s.Pos }
func (s *Say) At() Pos      { return s.Pos }
func (s *Do) At() Pos       { return s.Pos }
func (s *Braces) At() Pos   { return s.Pos }
func (s *Empty) At() Pos    { return s.Pos }
func (e *Name) At() Pos     { return e.Pos }
func (e *Int) At() Pos      { return e.Pos }
func (e *Real) At() Pos     { return e.Pos }
func (e *Text) At() Pos     { return e.Pos }
func (e *Call) At() Pos     { return e.Pos }
func (e *Index) At() Pos    { return e.Pos }
func (e *Field) At() Pos    { return e.Pos }
func (e *Unary) At() Pos    { return e.Pos }
func (e *Binary) At() Pos   { return e.Pos }
func (e *Choice) At() Pos   { return e.Pos }
func (e *Array) At() Pos    { return e.Pos }
func (e *Row) At() Pos      { return e.Pos }
func (e *Tuple) At() Pos    { return e.Pos }
func (e *Paren) At() Pos    { return e.Pos }
