// Package zarr writes runs, and groups of arrays with labelled dimensions, as folders of Zarr format
// 2, which xarray and ArviZ read as InferenceData.
//
// A folder holds groups, a group holds arrays, and each dimension of an array has an array of its
// own with the labels. Values are 64-bit numbers, bit for bit, and are not compressed. The root's
// attributes hold, under the key bayeskernel, what a run is beside its draws: settings, metrics, and
// where trajectories diverged.
//
// The package does not read. What xarray writes by default is compressed with Blosc, which Go's
// standard library does not have, and a reader of uncompressed folders alone would read none but
// these. To read draws back, write them in CmdStan's format too: package cmdstan.
package zarr
