package stein

import "math/rand/v2"

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }
