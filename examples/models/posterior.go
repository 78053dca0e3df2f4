package models

import (
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"bayeskernel/hmc"
)

// Moments are those of one parameter, estimated from 10,000 nearly independent draws of Stan's or
// computed by quadrature. Quantiles that are not known are 0.
type Moments struct {
	Mean, SD, Q05, Q50, Q95 float64
	MCSE                    float64 // Monte Carlo standard error of Mean
}

// ReferenceDraws is the number of draws behind Moments.
const ReferenceDraws = 10000

// Posterior is a model with its data.
type Posterior struct {
	Name      string // posteriordb's for the model
	Factory   hmc.Factory
	Reference map[string]Moments // by the name of the parameter
}

// All returns the posteriors of posteriordb.
func All() ([]Posterior, error) {
	var all []Posterior
	for _, f := range []func() (Posterior, error){EightSchools, EightSchoolsCentered, ARK, KidScore,
		LogMesquite, GARCH, GaussMix, Diamonds, LogVASh, KidScoreMomHSIQ, ARMA, HMMExample, HMMDrive,
		OneComp, LotkaVolterra, AccelGP, BLR, GLMPoisson, Dogs, KidScoreMomWork, NES, Mesquite,
		Kilpisjarvi, Surgical} {
		p, err := f()
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

//go:embed data/*.json data/*.json.gz
var files embed.FS

// Data reads the data of a posterior, such as "garch", into v, a pointer to a struct: see the files in
// the folder data.
func Data(name string, v any) error {
	if err := decode(name+".json", v); err == nil {
		return nil
	}
	return decode(name+".json.gz", v)
}

// load reads the data of a posterior into data, and its reference moments.
func load(name string, data any) (map[string]Moments, error) {
	return loadFrom(name+".json", name+"_reference.json", data)
}

// loadFrom is load for files with names of their own.
func loadFrom(file, reference string, data any) (map[string]Moments, error) {
	if err := decode(file, data); err != nil {
		return nil, err
	}
	var ref struct {
		Params map[string]struct {
			Moments
			MCSE *float64 `json:"mcse_mean"`
		}
	}
	if err := decode(reference, &ref); err != nil {
		return nil, err
	}
	all := map[string]Moments{}
	for name, p := range ref.Params {
		p.Moments.MCSE = p.SD / math.Sqrt(ReferenceDraws) // where the file does not say
		if p.MCSE != nil {
			p.Moments.MCSE = *p.MCSE
		}
		all[name] = p.Moments
	}
	return all, nil
}

func decode(file string, v any) error {
	f, err := files.Open("data/" + file)
	if err == nil {
		defer f.Close()
		var r io.Reader = f
		if strings.HasSuffix(file, ".gz") {
			r, err = gzip.NewReader(f)
		}
		if err == nil {
			err = json.NewDecoder(r).Decode(v)
		}
	}
	if err != nil {
		return fmt.Errorf("models: %s: %w", file, err)
	}
	return nil
}
