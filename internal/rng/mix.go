package rng

// Mix is a bijection of the numbers of 64 bits that spreads every bit over all: the finalizer of SplitMix64
// (Steele, Lea and Flood 2014). It maps 0 to 0. It is for hashes, not for streams.
func Mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
