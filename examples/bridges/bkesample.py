"""bkesample from Python: the main table of a command as a data frame of pandas, and everything else
in its attrs["all"]. Needs the program bkesample on the path.

    from bkesample import bkesample
    bkesample("twosample", iris, "-label", "species=setosa,virginica")
    bkesample("independence", cars, "-x", "mpg", "-y", "wt", "-permutations", 199)
    bkesample("sample", {"before": a, "after": b}, "-iter", 200)
    bkesample("learn", a).attrs["all"]["pictures"][0]["draws"]["theta"]
"""
import json
import pathlib
import subprocess
import tempfile

import pandas as pd

MAIN = {"sample": "parameters", "twosample": "by_column", "learn": "modes", "power": "sizes",
        "novelty": "most_novel", "causal": "edges", "embed": "distances"}


def bkesample(command, data, *flags, program="bkesample"):
    if isinstance(data, pd.DataFrame):
        data = {"data": data}
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder, name + ".csv") for name in data]
        for file, table in zip(files, data.values()):
            table.to_csv(file, index=False)
        words = [command, "-out", pathlib.Path(folder, "out"), "-format", "json", *flags, *files]
        done = subprocess.run([program, *map(str, words)], capture_output=True, text=True)
    if done.returncode not in (0, 3, 4):  # 3 and 4: -strict and -exit-code
        raise RuntimeError(done.stderr.strip())
    found = json.loads(done.stdout)
    rows = found.get(MAIN.get(command)) or [{k: found.get(k) for k in ("p", "statistic", "alpha", "reject", "null")}]
    names = [s["name"] for s in found["samples"]] if command == "embed" else None
    table = pd.DataFrame(rows, index=names, columns=names)
    table.attrs["all"] = found
    return table
