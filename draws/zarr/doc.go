// Package zarr writes runs, and groups of arrays with labelled dimensions, as folders of Zarr format
// 2, which xarray and ArviZ read as InferenceData.
//
// A folder holds groups, a group holds arrays, and each dimension of an array has an array of its
// own with the labels. Values are 64-bit numbers, bit for bit, and are not compressed. The root's
// attributes hold the rest of a run under the key bayeskernel: settings, metrics, and where
// trajectories diverged.
//
// The package does not read. By default xarray compresses with Blosc, which Go's standard library
// lacks, so a reader of uncompressed folders could read only the folders written here. To read
// draws back, write them in CmdStan's format too: package cmdstan.
package zarr
