package model

import "bayeskernel/engine"

// Add returns e + b.
func (e Expr) Add(b Expr) Expr { return elementwise("Add", engine.Binary(engine.Add), e, b) }

// Sub returns e - b.
func (e Expr) Sub(b Expr) Expr { return elementwise("Sub", engine.Binary(engine.Sub), e, b) }

// Mul returns e b, value by value.
func (e Expr) Mul(b Expr) Expr { return elementwise("Mul", engine.Binary(engine.Mul), e, b) }

// Div returns e / b, value by value.
func (e Expr) Div(b Expr) Expr { return elementwise("Div", engine.Binary(engine.Div), e, b) }

// Scale returns c e.
func (e Expr) Scale(c float64) Expr { return each("Scale", engine.Linear{Scale: c, Shift: 0}, e) }

// Shift returns e + c.
func (e Expr) Shift(c float64) Expr { return each("Shift", engine.Linear{Scale: 1, Shift: c}, e) }

// Neg returns -e.
func (e Expr) Neg() Expr { return each("Neg", engine.Linear{Scale: -1, Shift: 0}, e) }

// OneMinus returns 1 - e.
func (e Expr) OneMinus() Expr { return each("OneMinus", engine.Linear{Scale: -1, Shift: 1}, e) }

// Exp returns the exponential.
func (e Expr) Exp() Expr { return each("Exp", engine.Unary(engine.Exp), e) }

// Expm1 returns exp(e) - 1.
func (e Expr) Expm1() Expr { return each("Expm1", engine.Unary(engine.Expm1), e) }

// Log returns the natural logarithm.
func (e Expr) Log() Expr { return each("Log", engine.Unary(engine.Log), e) }

// Log1p returns log(1 + e).
func (e Expr) Log1p() Expr { return each("Log1p", engine.Unary(engine.Log1p), e) }

// Sqrt returns the square root.
func (e Expr) Sqrt() Expr { return each("Sqrt", engine.Unary(engine.Sqrt), e) }

// Square returns e².
func (e Expr) Square() Expr { return each("Square", engine.Unary(engine.Square), e) }

// Inv returns 1/e.
func (e Expr) Inv() Expr { return each("Inv", engine.Unary(engine.Inv), e) }

// Abs returns the size of e. Its derivative at 0 is taken as 0.
func (e Expr) Abs() Expr { return each("Abs", engine.Unary(engine.Abs), e) }

// InvLogit returns the logistic function, 1/(1 + exp(-e)).
func (e Expr) InvLogit() Expr { return each("InvLogit", engine.Unary(engine.InvLogit), e) }

// Logit returns log(e/(1 - e)).
func (e Expr) Logit() Expr { return each("Logit", engine.Unary(engine.Logit), e) }

// Softplus returns log(1 + exp(e)).
func (e Expr) Softplus() Expr { return each("Softplus", engine.Unary(engine.Softplus), e) }

// Tanh returns the hyperbolic tangent.
func (e Expr) Tanh() Expr { return each("Tanh", engine.Unary(engine.Tanh), e) }

// Sin returns the sine.
func (e Expr) Sin() Expr { return each("Sin", engine.Unary(engine.Sin), e) }

// Cos returns the cosine.
func (e Expr) Cos() Expr { return each("Cos", engine.Unary(engine.Cos), e) }

// Phi returns the standard normal distribution function.
func (e Expr) Phi() Expr { return each("Phi", engine.Unary(engine.Phi), e) }

// Pow returns e to the power p.
func (e Expr) Pow(p float64) Expr { return each("Pow", engine.Power(p), e) }

// PowOf returns e to the power p; e must be positive.
func (e Expr) PowOf(p Expr) Expr { return elementwise("PowOf", engine.Binary(engine.Pow), e, p) }

// Max returns the larger of e and b, value by value.
func (e Expr) Max(b Expr) Expr { return elementwise("Max", engine.Extreme{}, e, b) }

// Min returns the smaller of e and b, value by value.
func (e Expr) Min(b Expr) Expr { return elementwise("Min", engine.Extreme{Smaller: true}, e, b) }

// Step returns 1 where e is 0 or more and 0 below. Its derivative is 0: gradients do not see where a
// value crosses 0.
func (e Expr) Step() Expr { return each("Step", engine.Heaviside, e) }

// Lgamma returns the log of the gamma function of a positive e.
func (e Expr) Lgamma() Expr { return each("Lgamma", engine.Lgamma, e) }

// Digamma returns the derivative of Lgamma.
func (e Expr) Digamma() Expr { return each("Digamma", engine.Digamma, e) }
