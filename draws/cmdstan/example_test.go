package cmdstan_test

import (
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"

	"bayeskernel/draws"
	"bayeskernel/draws/cmdstan"
)

// newRun stands for a sampler. The second of its chains starts in another place and stays there.
func newRun() *draws.Run {
	rng := rand.New(rand.NewPCG(1, 2))
	run := &draws.Run{
		Names: []string{"mu", "theta[1]", "theta[2]"}, Model: "example", Seed: 1,
		Sampler: draws.Sampler{Algorithm: "nuts", Draws: 500, Thin: 1, Metric: "unit_e"},
	}
	for c := range 2 {
		chain := draws.Chain{StepSize: 0.5, Metric: draws.Metric{Kind: "unit_e"}}
		for range 500 {
			row := []float64{rng.NormFloat64() + 8*float64(c), rng.NormFloat64(), rng.NormFloat64()}
			chain.Values = append(chain.Values, row)
			chain.Stats = append(chain.Stats, draws.Stat{LP: -1, Energy: rng.NormFloat64()})
		}
		run.Chains = append(run.Chains, chain)
	}
	return run
}

func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	run := newRun()
	path := filepath.Join(dir, "example_1.csv")
	csv, err := cmdstan.New(path, run, 0, cmdstan.Options{})
	if err != nil {
		log.Fatal(err)
	}
	// A sampler sends its events; here they are those of a chain that is interrupted after 100 draws.
	chain := run.Chains[0]
	chain.Values, chain.Stats = chain.Values[:100], chain.Stats[:100]
	if err := chain.Replay(csv); err != nil {
		log.Fatal(err)
	}
	// Before Close, the file can be read under its temporary name.
	_, err = cmdstan.Read(path + ".part")
	fmt.Println("ends early:", errors.Is(err, cmdstan.ErrTruncated))
	if err := csv.Close(0, 0); err != nil {
		log.Fatal(err)
	}
	back, err := cmdstan.Read(path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(back.Names, len(back.Chains[0].Values), back.Sampler.Draws)
	// Output:
	// ends early: true
	// [mu theta[1] theta[2]] 100 100
}
