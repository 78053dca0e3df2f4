// Package house holds the test that imports point one way: programs, answers, the model, inference,
// numerics. A sampler knows nothing of kernels, and neither the model nor the tests know how anything is
// sampled.
package house
