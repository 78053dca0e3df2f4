"""Reads a folder that package model wrote with xarray: groups, dimensions, labels."""

import sys

import xarray


def main(path):
    want = {
        "posterior": {"a": ("chain", "draw", "group"), "mu": ("chain", "draw")},
        "sample_stats": {"lp": ("chain", "draw")},
        "prior": {"b": ("chain", "draw", "group")},
        "prior_predictive": {"y": ("chain", "draw", "y_dim_0")},
        "posterior_predictive": {"y": ("chain", "draw", "y_dim_0")},
        "log_likelihood": {"y": ("chain", "draw", "y_dim_0")},
        "observed_data": {"y": ("y_dim_0",)},
        "constant_data": {"x": ("x_dim_0",), "group_index": ("group_index_dim_0",)},
    }
    for group, arrays in want.items():
        data = xarray.open_zarr(path, group=group)
        for name, dims in arrays.items():
            assert data[name].dims == dims, (group, name, data[name].dims)
            assert bool(data[name].notnull().all()), (group, name)
    labels = list(xarray.open_zarr(path, group="posterior")["group"].values)
    assert labels == ["a", "b", "c"], labels
    ll = xarray.open_zarr(path, group="log_likelihood")["y"]
    assert ll.shape == (2, 20, 12), ll.shape
    print("ok    xarray: groups of package model, labels " + " ".join(labels))


main(sys.argv[1])
