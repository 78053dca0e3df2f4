package models

import (
	"embed"
	"encoding/json"
	"fmt"

	"bayeskernel/hmc"
)

// Moments are those of one parameter, estimated from 10,000 nearly independent draws of Stan's.
type Moments struct{ Mean, SD, Q05, Q50, Q95 float64 }

// ReferenceDraws is the number of draws behind Moments.
const ReferenceDraws = 10000

// Posterior is a model with its data.
type Posterior struct {
	Name      string // posteriordb's for the model
	Factory   hmc.Factory
	Reference map[string]Moments // by the name of the parameter
}

// All returns the seven posteriors.
func All() ([]Posterior, error) {
	var all []Posterior
	for _, f := range []func() (Posterior, error){EightSchools, EightSchoolsCentered, ARK, KidScore,
		LogMesquite, GARCH, GaussMix} {
		p, err := f()
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

//go:embed data/*.json
var files embed.FS

// load reads the data of a posterior into data, and its reference moments.
func load(file string, data any) (map[string]Moments, error) {
	if err := decode(file+".json", data); err != nil {
		return nil, err
	}
	var ref struct{ Params map[string]Moments }
	if err := decode(file+"_reference.json", &ref); err != nil {
		return nil, err
	}
	return ref.Params, nil
}

func decode(file string, v any) error {
	b, err := files.ReadFile("data/" + file)
	if err == nil {
		err = json.Unmarshal(b, v)
	}
	if err != nil {
		return fmt.Errorf("models: %s: %w", file, err)
	}
	return nil
}
