// Package format writes the draws of a run to a folder in one of several formats, which a program
// chooses by name. To add a format, write a file with its Format and list it in All.
package format

import (
	"fmt"
	"strings"

	"bayeskernel/draws"
)

// A Format keeps the draws of a run in a folder.
type Format interface {
	// Name is the name by which programs choose the format.
	Name() string
	// Open starts a file that grows as the chain runs; chain counts from 0. A run resumed from a
	// checkpoint opens the file again and replays its draws. head is the argument of
	// Settings.Record. Open returns nil if the format can only be written whole.
	Open(dir string, head *draws.Run, chain int) (Stream, error)
	// Write writes a run whole; one that streams has no need to be.
	Write(dir string, run *draws.Run) error
	// Files names the files that a run with this many chains leaves in the folder.
	Files(chains int) []string
}

// Stream is the growing file of a chain: a Recorder that receives all events and can be discarded.
type Stream interface {
	draws.Recorder
	draws.WindowRecorder
	draws.CoordinateRecorder
	draws.Discarder
}

// Options holds the settings of formats that have any.
type Options struct {
	WordBooleans bool // as cmdstan.Options
}

// All lists the formats.
func All(o Options) []Format { return []Format{csv{o}, zarrFolder{}} }

// Named returns the format with the given name.
func Named(name string, o Options) (Format, error) {
	var known []string
	for _, f := range All(o) {
		if f.Name() == name {
			return f, nil
		}
		known = append(known, f.Name())
	}
	return nil, fmt.Errorf("format: %q is unknown, want %s", name, strings.Join(known, " or "))
}

// Recorder returns a function for Settings.Record that writes draws to dir in format f. The files
// replace those of an earlier run only if a chain has kept at least least draws.
func Recorder(f Format, dir string, least int) func(head *draws.Run, chain int) (draws.Recorder, error) {
	var all []*counted // of the run, whose recorders are made and closed one after another
	return func(head *draws.Run, chain int) (draws.Recorder, error) {
		s, err := f.Open(dir, head, chain)
		if s == nil || err != nil {
			return nil, err
		}
		c := &counted{Stream: s, all: &all, least: least}
		all = append(all, c)
		return c, nil
	}
}

// counted is a stream that counts its draws.
type counted struct {
	Stream
	all   *[]*counted
	least int
	drawn int
}

// Draw adds a row.
func (c *counted) Draw(values []float64, s draws.Stat, warmup bool) error {
	if !warmup {
		c.drawn++
	}
	return c.Stream.Draw(values, s, warmup)
}

// Close is called when all chains have ended.
func (c *counted) Close(warmupSeconds, sampleSeconds float64) error {
	for _, other := range *c.all {
		if other.drawn >= c.least {
			return c.Stream.Close(warmupSeconds, sampleSeconds)
		}
	}
	return c.Discard()
}
