"""Compares the golden files of package draws with the numbers that they were made from.

check.py GOLDEN                      the CSV files by the rules below, the Zarr folder by xarray and zarr
check.py GOLDEN RUN SPELLING VALUES  what check.cpp printed of the CSV files of one run

The parser of CmdStan's format here is the strictest union of what cmdstanpy, cmdstanr, ArviZ, rstan
and stansummary insist on, written from that list of rules and from nothing else.
"""

import glob
import json
import math
import os
import re
import struct
import sys

STATS = ["lp__", "accept_stat__", "stepsize__", "treedepth__", "n_leapfrog__", "divergent__", "energy__"]
ARVIZ = {"lp": "lp__", "acceptance_rate": "accept_stat__", "step_size": "stepsize__",
         "tree_depth": "treedepth__", "n_steps": "n_leapfrog__", "diverging": "divergent__",
         "energy": "energy__"}
REQUIRED = ["stan_version_major", "stan_version_minor", "stan_version_patch", "model", "method",
            "num_samples", "num_warmup", "save_warmup", "thin", "algorithm", "engine", "max_depth",
            "metric", "id", "seed", "init", "delta", "gamma", "kappa", "t0", "init_buffer",
            "term_buffer", "window"]


def need(condition, message):
    if not condition:
        raise ValueError(message)


def same(got, want, what):
    """Equal to the bit, so that -0 differs from 0."""
    if struct.pack("<d", got) != struct.pack("<d", want):
        raise ValueError(f"{what} is {got!r}, want {want!r}")


def load(golden, run):
    with open(os.path.join(golden, run, "expected.json"), encoding="utf-8") as f:
        return json.load(f, parse_int=lambda s: -0.0 if s == "-0" else int(s))


def columns(expected):
    """Names of the columns and, of each, the variable and the index into its values."""
    out = []
    for v in expected["variables"]:
        dims = v["dims"] or []
        for e in range(math.prod(dims)):  # the first index runs fastest
            index, rest = [], e
            for d in dims:
                index.append(rest % d)
                rest //= d
            at = 0
            for i, d in zip(index, dims):
                at = at * d + i
            out.append((".".join([v["csv_name"]] + [str(i + 1) for i in index]), v, at))
    return out


def rows_of(expected, chain):
    """What the rows of a file must hold, statistics of warm-up left open."""
    warm, rows = [], []
    cols = columns(expected)
    if expected["save_warmup"]:
        for i in range(0, expected["num_warmup"], expected["thin"]):
            warm.append([v["warmup"][chain][i][at] for _, v, at in cols])
    for i in range(len(expected["stats"]["lp__"][chain])):
        stats = [expected["stats"][s][chain][i] for s in STATS]
        rows.append(stats + [v["draws"][chain][i][at] for _, v, at in cols])
    return warm, rows


def parse(path):
    """One CSV file: settings, header, warm-up rows, adaptation, rows, footer."""
    text = open(path, "rb").read().decode("ascii")
    need(path.endswith(".csv"), "extension is not .csv")
    need(text.endswith("\n") and "\r" not in text, "line ends")
    lines = text.split("\n")[:-1]
    need(all(lines), "an empty line")
    k = 0
    settings = {}
    while lines[k].startswith("#"):
        parts = lines[k].lstrip("# ").split("=")
        need(len(parts) <= 2, "two = in " + lines[k])
        if len(parts) == 2:
            need(parts[0].strip() not in settings, "twice " + lines[k])
            settings[parts[0].strip()] = parts[1].strip()
        k += 1
    for key in REQUIRED:
        need(settings.get(key, "") != "", "no " + key)
    need(re.fullmatch(r"[A-Za-z0-9_.-]+", settings["model"]), "model is not one word")
    header = lines[k].split(",")
    need(header[:7] == STATS, "header " + lines[k])
    for name in header[7:]:
        need(re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*(\.[1-9][0-9]*)*", name), "name " + name)
        need(not name.endswith("__"), "name " + name)
    need(len(set(header)) == len(header), "a column twice")
    k += 1

    def data():
        nonlocal k
        out = []
        while k < len(lines) and not lines[k].startswith("#"):
            need(re.match(r"[-0-9]", lines[k]), "row " + lines[k])
            fields = lines[k].split(",")
            need(len(fields) == len(header), f"{len(fields)} values in " + lines[k])
            for field in fields[3:6]:
                int(field)
            out.append([float(field) for field in fields])
            k += 1
        return out

    warm = data()
    need(lines[k] == "# Adaptation terminated", lines[k])
    step = re.fullmatch(r"# Step size = (\S+)", lines[k + 1])
    need(step, lines[k + 1])
    k += 2
    metric = []
    if settings["metric"] == "unit_e":
        need(lines[k] == "# No free parameters for unit metric", lines[k])
        k += 1
    else:
        title = {"diag_e": "# Diagonal elements of inverse mass matrix:",
                 "dense_e": "# Elements of inverse mass matrix:"}[settings["metric"]]
        need(lines[k] == title, lines[k])
        k += 1
        while lines[k].startswith("#"):
            metric.append([float(x) for x in lines[k][2:].split(",")])
            k += 1
        need(len(metric) == (1 if settings["metric"] == "diag_e" else len(metric[0])), "metric")
    rows = data()
    while lines[k].startswith("# bayeskernel_"):  # comments that those readers skip
        k += 1
    footer = lines[k:]
    need(len(footer) == 5 and footer[0] == footer[4] == "# ", "footer")
    for line, start, end in zip(footer[1:], ["#  Elapsed Time: ", "#" + 16 * " ", "#" + 16 * " "],
                                ["(Warm-up)", "(Sampling)", "(Total)"]):
        need(line.startswith(start) and line.endswith(" seconds " + end), line)
        float(line[17:line.index(" seconds")])
    return settings, header, warm, float(step[1]), metric, rows


def check_csv(golden, run, spelling):
    expected = load(golden, run)
    paths = sorted(glob.glob(os.path.join(golden, run, spelling + "_*.csv")))
    need(len(paths) == len(expected["step_size"]), f"{len(paths)} files")
    common = None
    for chain, path in enumerate(paths):
        settings, header, warm, step, metric, rows = parse(path)
        need(settings["id"] == str(chain + 1), "id " + settings["id"])
        rest = {k: v for k, v in settings.items() if k != "id"}
        need(common in (None, rest), "settings differ between chains")
        common = rest
        truth = {True: ("true", "1"), False: ("false", "0")}[expected["save_warmup"]]
        need(settings["save_warmup"] == truth[spelling == "default"], "save_warmup")
        for key in ["thin", "num_samples", "num_warmup"]:
            need(int(settings[key]) == expected[key], key)
        need(len(rows) == math.ceil(expected["num_samples"] / expected["thin"]), "rows")
        need(header[7:] == [c[0] for c in columns(expected)], "columns")
        want_warm, want = rows_of(expected, chain)
        need(len(warm) == len(want_warm) and len(rows) == len(want), "number of rows")
        same(step, expected["step_size"][chain], "step size")
        want_metric = expected["inverse_metric"][chain] or []
        for got_rows, want_rows, skip in [(warm, want_warm, 7), (rows, want, 0),
                                          (metric, want_metric, 0)]:
            need(len(got_rows) == len(want_rows), "number of rows")
            for g, w in zip(got_rows, want_rows):
                need(len(g) - skip == len(w), "width")
                for a, b in zip(g[skip:], w):
                    same(a, b, path)
    return f"{len(paths)} chains x {len(rows)} draws"


def check_group(expected, posterior, stats, key):
    """posterior and stats look like dicts of arrays (chain, draw, ...)."""
    values = 0
    for v in expected["variables"]:
        got = posterior[v["zarr_name"]]
        want = v[key]
        shape = (len(want), len(want[0]), *(v["dims"] or []))
        need(tuple(got.shape) == shape, f"{v['zarr_name']} has shape {got.shape}, want {shape}")
        need(got.dtype == "float64", f"dtype {got.dtype}")
        flat = got.reshape(-1)
        for a, b in zip(flat, (x for chain in want for draw in chain for x in draw), strict=True):
            same(float(a), b, v["zarr_name"])
            values += 1
    for name, csv in ARVIZ.items():
        got = stats[name]
        kind = {"diverging": "bool", "tree_depth": "int64", "n_steps": "int64"}.get(name, "float64")
        need(got.dtype == kind, f"{name} has dtype {got.dtype}, want {kind}")
        if key == "draws":
            for a, b in zip(got.reshape(-1), sum(expected["stats"][csv], []), strict=True):
                same(float(a), float(b), name)
                values += 1
    return values


def check_xarray(golden, run):
    import xarray
    expected, path = load(golden, run), os.path.join(golden, run, "run.zarr")
    count = 0
    for prefix, key in [("", "draws"), ("warmup_", "warmup")]:
        groups = []
        for name in ["posterior", "sample_stats"]:
            # consolidated=True insists on .zmetadata, which xarray would rather have.
            data = xarray.open_zarr(path, group=prefix + name, consolidated=True)
            need(data.attrs["inference_library"] == "bayeskernel", "attributes")
            need("created_at" not in data.attrs, "created_at")
            need(list(data["chain"].values) == list(range(len(expected["step_size"]))), "chain")
            need(list(data["draw"].values) == list(range(data.sizes["draw"])), "draw")
            groups.append(data)
        posterior, stats = groups
        need(posterior["theta"].dims == ("chain", "draw", "theta_dim_0"), "dims of theta")
        need(list(posterior["R"].coords["R_dim_1"].values) == [0, 1], "coordinates of R")
        names = {v["zarr_name"] for v in expected["variables"]}
        need(set(posterior.data_vars) == names, f"variables {set(posterior.data_vars)}")
        count += check_group(expected, {k: v.values for k, v in posterior.data_vars.items()},
                             {k: v.values for k, v in stats.data_vars.items()}, key)
    return f"{count} values, xarray {xarray.__version__}"


def check_zarr(golden, run):
    import zarr
    expected = load(golden, run)
    root = zarr.open_group(os.path.join(golden, run, "run.zarr"), mode="r")
    need(sorted(root.group_keys()) ==
         ["posterior", "sample_stats", "warmup_posterior", "warmup_sample_stats"], "groups")
    count = 0
    for prefix, key in [("", "draws"), ("warmup_", "warmup")]:
        count += check_group(expected, {k: v[...] for k, v in root[prefix + "posterior"].arrays()},
                             {k: v[...] for k, v in root[prefix + "sample_stats"].arrays()}, key)
    return f"{count} values, zarr {zarr.__version__}"


def check_stan(golden, run, spelling, values):
    """stan_csv_reader leaves out the adaptation where warm-up was saved or the metric is unit."""
    expected = load(golden, run)
    chain, at, want, width, count = -1, 0, [], 0, 0
    for line in open(values, encoding="utf-8"):
        if not line.strip():
            continue
        kind, *words = line.split()
        if kind == "file":
            chain += 1
            need(chain == 0 or at == len(want), "rows are missing")
            warm, rows = rows_of(expected, chain)
            want, at = [7 * [None] + w for w in warm] + rows, 0
            saved = expected["save_warmup"] and spelling == "default"
            need([int(w) for w in words[:5]] == [expected["num_samples"], expected["num_warmup"],
                                                int(saved), expected["thin"], chain + 1], line)
            if not expected["save_warmup"] and expected["metric"] != "unit_e":
                same(float(words[5]), expected["step_size"][chain], "step size")
        elif kind == "header":
            names = [re.sub(r"\.(.*)", lambda m: "[" + m[1].replace(".", ",") + "]", c[0])
                     for c in columns(expected)]
            need(words == STATS + names, line)
        elif kind == "metric":
            metric = [x for row in expected["inverse_metric"][chain] or [] for x in row]
            if expected["save_warmup"]:
                metric = []
            need(len(words) - 2 == len(metric), line)
            for a, b in zip(words[2:], metric):
                same(float(a), b, "metric")
        elif kind == "row":
            need(len(words) == len(want[at]), line)
            for a, b in zip(words, want[at]):
                # The reader's stream cannot read subnormal numbers and gives 0.
                if b is not None and not 0 < abs(b) < sys.float_info.min:
                    same(float(a), b, "value")
                    count += 1
            at += 1
        elif "adapation" not in line:
            raise ValueError(line.strip())
    need(chain + 1 == len(expected["step_size"]) and at == len(want), "chains are missing")
    return f"{count} values"


def report(reader, what, check, *args):
    try:
        print(f"ok    {reader}: {what}: {check(*args)}")
        return True
    except ImportError as e:
        print(f"skip  {reader}: {e}")
        return True
    except Exception as e:  # whatever goes wrong in a reader is its verdict
        print(f"FAIL  {reader}: {what}: {type(e).__name__}: {e}")
        return False


def main(golden, run=None, spelling=None, values=None):
    if values:
        return report("stan_csv_reader", f"{run}/{spelling}_*.csv", check_stan, golden, run, spelling,
                      values)
    good = True
    for run in ["diag", "dense", "unit"]:
        for spelling in ["word", "default"]:
            good &= report("rules of cmdstanpy, cmdstanr and ArviZ", f"{run}/{spelling}_*.csv",
                           check_csv, golden, run, spelling)
    good &= report("xarray", "diag/run.zarr", check_xarray, golden, "diag")
    good &= report("zarr", "diag/run.zarr", check_zarr, golden, "diag")
    return good


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
