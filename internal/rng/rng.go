// Package rng makes the random streams of this module.
//
// A stream is named by a seed, a replicate, a purpose and a number (of the chain, say), and by
// nothing else. So the number of streams and of processors changes no draw.
//
// The default source is the permuted congruential generator PCG XSL RR 128/64 of O'Neill (2014),
// whose state is 16 bytes. All 128 bits are set from a hash of (seed, replicate, purpose). Stream c
// then starts c golden jumps further along the one orbit of period 2^128. So for one name the
// streams of all chains are disjoint, by a distance that the tests compute. The jump is NumPy's
// PCG64.jumped constant, 2^128 divided by the golden ratio: jumps by powers of two leave low bits
// of the congruential generator equal and correlate the streams. Streams of different seeds,
// replicates or purposes start at hashed points: that they overlap is improbable (n streams of L
// draws: about n^2 L/2^128), not impossible.
//
// Disjoint is not the same as independent, so ChaCha8, a generator of cryptographic strength keyed
// by the whole hash, stands beside it as a cross-check. A result that depends on the source is
// wrong.
package rng

import (
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"

	xrand "golang.org/x/exp/rand" //lint:ignore SA1019 prescribed: the 16-byte resumable PCG, at a pinned version
)

// Kind names a source.
type Kind string

// The sources.
const (
	PCG     Kind = "pcg"     // the default, also meant by ""
	ChaCha8 Kind = "chacha8" // cryptographic strength, about twice the time per draw
)

// Name identifies a family of streams.
type Name struct {
	Seed      uint64
	Replicate uint64
	Purpose   string
}

// Source is a stream of random numbers whose state can be saved and restored. It is a
// rand.Source of math/rand/v2, which keeps no numbers of its own: rand.New(source) may be made
// afresh after a restore.
type Source struct {
	kind Kind
	src  interface {
		rand.Source
		encoding.BinaryMarshaler
		encoding.BinaryUnmarshaler
	}
	// The sources again, and copies of their states as Mark found them.
	pcg, pcgMark       *xrand.PCGSource
	chacha, chachaMark *rand.ChaCha8
}

// New returns stream number c of the family. The only error is an unknown kind.
func New(kind Kind, name Name, c uint64) (*Source, error) {
	key := name.hash()
	switch kind {
	case PCG, "":
		start := uint128{binary.BigEndian.Uint64(key[:8]), binary.BigEndian.Uint64(key[8:16])}
		state := start.advance(goldenJump.mul(uint128{0, c}))
		var b [16]byte
		binary.BigEndian.PutUint64(b[:8], state.hi)
		binary.BigEndian.PutUint64(b[8:], state.lo)
		pcg := new(xrand.PCGSource)
		if err := pcg.UnmarshalBinary(b[:]); err != nil {
			return nil, fmt.Errorf("rng: %w", err)
		}
		return &Source{kind: PCG, src: pcg, pcg: pcg, pcgMark: new(xrand.PCGSource)}, nil
	case ChaCha8:
		var b [8]byte
		binary.BigEndian.PutUint64(b[:], c)
		chacha := rand.NewChaCha8(sha256.Sum256(append(key[:], b[:]...)))
		return &Source{kind: ChaCha8, src: chacha, chacha: chacha, chachaMark: new(rand.ChaCha8)}, nil
	}
	return nil, fmt.Errorf("rng: unknown source %q: known are %q and %q", kind, PCG, ChaCha8)
}

// Uint64 returns the next 64 bits.
func (s *Source) Uint64() uint64 { return s.src.Uint64() }

// Mark remembers the state, for Rewind. It allocates nothing.
func (s *Source) Mark() {
	if s.pcg != nil {
		*s.pcgMark = *s.pcg
		return
	}
	*s.chachaMark = *s.chacha
}

// Rewind goes back to the state that Mark remembered.
func (s *Source) Rewind() {
	if s.pcg != nil {
		*s.pcg = *s.pcgMark
		return
	}
	*s.chacha = *s.chachaMark
}

// MarshalBinary returns the state: 16 bytes for PCG.
func (s *Source) MarshalBinary() ([]byte, error) { return s.src.MarshalBinary() }

// UnmarshalBinary restores a state of the same kind of source.
func (s *Source) UnmarshalBinary(state []byte) error {
	if s.kind == PCG && len(state) != 16 {
		return fmt.Errorf("rng: a state of pcg has 16 bytes, not %d", len(state))
	}
	if err := s.src.UnmarshalBinary(state); err != nil {
		return fmt.Errorf("rng: not a state of %s: %w", s.kind, err)
	}
	return nil
}

// hash is the SHA-256 of an unambiguous writing of the name.
func (n Name) hash() [sha256.Size]byte {
	b := make([]byte, 0, 64)
	b = append(b, "bke/v1\x00"...)
	b = binary.BigEndian.AppendUint64(b, n.Seed)
	b = binary.BigEndian.AppendUint64(b, n.Replicate)
	b = append(b, n.Purpose...)
	return sha256.Sum256(b)
}

// uint128 is an integer modulo 2^128.
type uint128 struct{ hi, lo uint64 }

// The congruential generator inside PCGSource, x <- multiplier x + increment, and the jump.
var (
	multiplier = uint128{0x2360ed051fc65da4, 0x4385df649fccf645}
	increment  = uint128{0x5851f42d4c957f2d, 0x14057b7ef767814f}
	goldenJump = uint128{0x9e3779b97f4a7c15, 0xf39cc0605cedc835}
)

func (a uint128) add(b uint128) uint128 {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(a.hi, b.hi, carry)
	return uint128{hi, lo}
}

func (a uint128) mul(b uint128) uint128 {
	hi, lo := bits.Mul64(a.lo, b.lo)
	return uint128{hi + a.hi*b.lo + a.lo*b.hi, lo}
}

// advance moves the generator's state k steps on, in time proportional to log k: the affine map of
// 2^i steps is composed with itself (Brown, 1994).
func (a uint128) advance(k uint128) uint128 {
	accMul, accAdd := uint128{0, 1}, uint128{}
	mul, inc := multiplier, increment
	for k != (uint128{}) {
		if k.lo&1 == 1 {
			accMul = accMul.mul(mul)
			accAdd = accAdd.mul(mul).add(inc)
		}
		inc = mul.add(uint128{0, 1}).mul(inc)
		mul = mul.mul(mul)
		k = uint128{k.hi >> 1, k.lo>>1 | k.hi<<63}
	}
	return accMul.mul(a).add(accAdd)
}
