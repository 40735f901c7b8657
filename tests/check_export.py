#!/usr/bin/python3
"""Checks an exported file with the readers that people use: h5py, xarray through h5netcdf and netCDF4, ncdump, h5dump, and the unit
libraries astropy, pint and UDUNITS. Prints what it checked; exit 1 with the reason where a check fails.

    check_export.py FILE [--incomplete]
"""
import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import h5py
import numpy as np

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # Debian's netCDF4 warns about numpy's size on import
    import netCDF4  # noqa: F401
    import xarray as xr

ENGINES = ("h5netcdf", "netcdf4")
STATUS_WORDS = "ok event_stop step_limit step_underflow non_finite shooting_failed bad_input cancelled not_run".split()
ALLOWED_FILTERS = {h5py.h5z.FILTER_SHUFFLE, h5py.h5z.FILTER_DEFLATE, h5py.h5z.FILTER_FLETCHER32}
RESERVED = {"CLASS", "NAME", "REFERENCE_LIST", "DIMENSION_LIST", "DIMENSION_LABELS", "_FillValue"}
ROOT_TEXTS = ("Conventions title summary references comment source history date_created uuid model_name model_version integrator precision "
              "output_precision seed_origin sampling").split()
ROOT_NUMBERS = "rtol atol seed n_requested n_complete complete".split()


class Failure(Exception):
    pass


def require(condition, message):
    if not condition:
        raise Failure(message)


def datasets(group):
    """All datasets below a group, by path."""
    found = {}
    group.visititems(lambda name, item: found.update({name: item}) if isinstance(item, h5py.Dataset) else None)
    return found


def is_scale(dataset):
    return h5py.h5ds.is_scale(dataset.id)


def is_number(dataset):
    return dataset.dtype.kind in "iuf"


def independent_variable(file):
    known = {"member", "row", "quantile", "error_level", "sample"}
    scales = [name for name, item in file.items() if isinstance(item, h5py.Dataset) and is_scale(item) and name not in known]
    if "row" in file:
        require(not scales, f"members have save times of their own, yet {scales} are scales")
        (name,) = [n for n, d in file.items() if isinstance(d, h5py.Dataset) and d.ndim == 2 and "coordinates" not in d.attrs
                   and d.dims[0].label == "member"]
        return name, "row"
    require(len(scales) == 1, f"one scale of save times expected, found {scales}")
    return scales[0], scales[0]


def check_layout(file):
    """4.1: names, types, dimensions."""
    independent, row = independent_variable(file)
    members, rows = file["member"].shape[0], file[row].shape[0]
    for name in datasets(file):
        require(all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", part) for part in name.split("/")), f"{name}: not a plain name")
    require(file["member"].chunks == (65536,) and file["member"].maxshape == (None,), "member: unlimited, in chunks of 65536")
    require(np.array_equal(file["member"][:], np.arange(members)), "member: does not count from 0")
    types = {"member": "<i8", "status": "|i1", "span_start": "<f8", "span_end": "<f8", "stopped_at": "<f8", "n_accepted": "<i4",
             "n_rejected": "<i4"}
    for name, dtype in types.items():
        require(name in file, f"{name}: missing")
        require(file[name].dtype.str == dtype and file[name].shape == (members,), f"{name}: {file[name].dtype.str} {file[name].shape}")
    require(any(name.startswith("param_") for name in file), "no parameters")
    for name, dataset in file.items():
        if not isinstance(dataset, h5py.Dataset):
            continue
        require(dataset.ndim == 0 or is_scale(dataset) or all(len(dim) == 1 for dim in dataset.dims), f"{name}: no scale attached")
        require(dataset.size != 0 or members == 0, f"{name}: empty")
        for axis, dim in enumerate(dataset.dims):
            if is_scale(dataset):
                continue
            scale = dim[0].name.lstrip("/")
            require(dim.label == scale, f"{name}: label {dim.label!r} beside scale {scale!r}")
            require(dataset.shape[axis] == file[scale].shape[0], f"{name}: axis {axis} has another length than {scale}")
        if dataset.ndim == 2 and dataset.dims[0].label == "member":
            # A member's curve is read from few chunks, one time of all members without the whole file.
            members_together, rows_together = dataset.chunks
            require(members_together * rows_together * dataset.dtype.itemsize <= 2 << 20, f"{name}: chunks of {dataset.chunks}")
            require(rows_together >= min(rows, 1024), f"{name}: {rows} rows in chunks of {rows_together}")
        if name.startswith("param_"):
            require(dataset.shape in ((), (members,)), f"{name}: shape {dataset.shape}")
    if "quantile" in file:
        require(np.array_equal(file["quantile"][:], [0.05, 0.25, 0.5, 0.75, 0.95]), "quantile: other levels")
    if "error_level" in file:
        require(np.array_equal(file["error_level"][:], [0.5, 0.9, 0.99, 1]), "error_level: other levels")
    words = file["status"].attrs["flag_meanings"].split()
    require(words == STATUS_WORDS and list(file["status"].attrs["flag_values"]) == list(range(9)), "status: flags")
    require(file["status"].attrs["flag_values"].dtype == np.int8, "status: flag_values are not int8")
    require({"provenance/scenario_json", "provenance/model_source"} <= set(datasets(file)), "provenance: incomplete")
    return f"{members} members, {rows} rows over {independent}, {len(datasets(file))} datasets"


def check_attributes(file):
    """4.2 and 4.3: units, names, fill values, str and no bytes."""
    for owner, item in [("/", file), *datasets(file).items()]:
        for key, value in item.attrs.items():
            if key in RESERVED:
                continue
            require(not isinstance(value, (bytes, np.bytes_)), f"{owner}: attribute {key} is bytes")
            require(not (isinstance(value, np.ndarray) and value.dtype.kind in "OSU"), f"{owner}: attribute {key} is an array of texts")
    for name, dataset in datasets(file).items():
        require(isinstance(dataset.attrs.get("long_name"), str) and dataset.attrs["long_name"], f"{name}: no long_name")
        if not is_number(dataset):
            require(h5py.check_string_dtype(dataset.dtype) and h5py.check_string_dtype(dataset.dtype).length is None,
                    f"{name}: not a text of variable length")
            continue
        require(isinstance(dataset.attrs.get("units"), str), f"{name}: no units")
        if dataset.dtype.kind == "f":
            require(dataset.attrs["_FillValue"].dtype == dataset.dtype and np.isnan(dataset.attrs["_FillValue"]), f"{name}: _FillValue")
            require(np.isnan(dataset.fillvalue), f"{name}: the HDF5 fill value is {dataset.fillvalue}")
        if dataset.ndim == 2 and dataset.dims[0].label == "member" and "ancillary_variables" in dataset.attrs:
            for other in dataset.attrs["coordinates"].split() + [dataset.attrs["ancillary_variables"]]:
                require(other in file, f"{name}: names {other}, which is missing")
        if name.startswith("param_"):
            require("sampling_distribution" in dataset.attrs, f"{name}: no sampling_distribution")
    for key in ROOT_TEXTS:
        require(isinstance(file.attrs.get(key), str) and file.attrs[key], f"root attribute {key}: missing or empty")
    for key in ROOT_NUMBERS:
        require(key in file.attrs, f"root attribute {key}: missing")
    trajectories = {item.dtype.name for item in file.values() if isinstance(item, h5py.Dataset) and "ancillary_variables" in item.attrs}
    require(trajectories <= {file.attrs["output_precision"]}, f"output_precision is {file.attrs['output_precision']}, but {trajectories} are")
    require(re.fullmatch(r"CF-1\.10 ACDD-1\.3 \w+-ensemble-1\.0", file.attrs["Conventions"]), "Conventions")
    require(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", file.attrs["date_created"]), "date_created is not ISO-8601 UTC")
    require(re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", file.attrs["uuid"]), "uuid")
    require(file.attrs["complete"].dtype == np.int8, "complete is not int8")
    return "units, long_name, fill values, str attributes"


def check_data(file, incomplete):
    status = file["status"][:]
    require(np.isin(status, range(9)).all(), "status outside 0..8")
    done = int(np.count_nonzero(~np.isin(status, [7, 8])))
    requested, complete = int(file.attrs["n_requested"]), int(file.attrs["n_complete"])
    require(done == complete, f"n_complete = {complete}, but {done} members are")
    if incomplete:
        require(file.attrs["complete"] == 0 and complete <= requested, "an incomplete file says that it is complete")
    else:
        require(file.attrs["complete"] == 1 and len(status) == requested == complete, "complete, n_requested and n_complete disagree")
    _, row = independent_variable(file)
    for name, dataset in file.items():
        if not name.endswith("_count") or not isinstance(dataset, h5py.Dataset) or name[:-6] not in file:
            continue
        source = name[:-6]
        values = file[source][:].astype(float)
        require(np.array_equal(dataset[:], np.isfinite(values).sum(axis=0)), f"{name}: not the number of finite values")
        if source + "_quantile" not in file or not dataset[:].all():
            continue
        exact = file[source + "_quantile"].attrs["quantile_method"] == "exact"
        single = file[source].dtype == np.float32
        bound = 0 if exact else file[source + "_quantile_bound"][:]
        expected = np.nanquantile(values, file["quantile"][:], axis=0)
        tolerance = bound + (1e-6 if single else 1e-12) * np.abs(expected).max()
        require((np.abs(file[source + "_quantile"][:] - expected) <= tolerance).all(), f"{source}_quantile: not the quantiles of {source}")
        require(np.allclose(file[source + "_mean"][:], np.nanmean(values, axis=0), rtol=1e-6 if single else 1e-9), f"{source}_mean")
    return f"{complete} of {requested} members, statistics recomputed over {row}"


def check_grid(file):
    """The attributes of a grid's axes give its points, and the members are all combinations, the last quantity varying fastest."""
    if file.attrs["sampling"] != "grid":
        return "not a grid"
    drawn = [item for name, item in datasets(file).items() if name.startswith("param_") and "sampling_points" in item.attrs]
    require(drawn, "a grid without sampling_points")
    axes = []
    for dataset in drawn:
        low, high, points = (dataset.attrs["sampling_" + key] for key in ("min", "max", "points"))
        logarithmic = dataset.attrs["sampling_scale"] == "log"
        axis = np.unique(dataset[:])
        require(len(axis) == points and axis[0] == low, f"{dataset.name}: sampling_points is {points}, the values are {axis}")
        spaced = np.log(axis) if logarithmic else axis
        require(np.allclose(np.diff(spaced), np.diff(spaced).mean(), rtol=1e-9), f"{dataset.name}: not evenly spaced")
        if "sampling_step" in dataset.attrs:
            step = dataset.attrs["sampling_step"]
            require(np.allclose(np.diff(axis), step, rtol=1e-9) and high - step < axis[-1] <= high, f"{dataset.name}: sampling_step is {step}")
        else:
            require(axis[-1] == high, f"{dataset.name}: doesn't end at sampling_max")
        axes.append(axis)
    require(len(file["status"]) == np.prod([len(axis) for axis in axes]), "the members are not all combinations")
    return " x ".join(str(len(axis)) for axis in axes) + " points"


def check_filters(file):
    for name, dataset in datasets(file).items():
        properties = dataset.id.get_create_plist()
        used = {properties.get_filter(i)[0] for i in range(properties.get_nfilters())}
        require(used <= ALLOWED_FILTERS, f"{name}: filters {used}")
    return "shuffle, deflate, fletcher32 at most"


def parsed_by_udunits(unit):
    done = subprocess.run(["udunits2", "-H", unit, "-W", ""], capture_output=True, text=True)
    return done.returncode == 0 and "Don't recognize" not in done.stderr + done.stdout


def check_units(file):
    """4.4: three libraries parse every unit, except solar masses; all say the same factor as units_si."""
    from astropy import units as astropy_units
    import pint
    registry = pint.UnitRegistry()
    units = set()
    for name, dataset in datasets(file).items():
        if not is_number(dataset):
            continue
        unit = dataset.attrs["units"]
        require(not re.search(r"\b(days|hours|minutes|seconds|years)\b", unit), f"{name}: {unit!r} becomes a timedelta in xarray")
        require("units_si" in dataset.attrs and "units_si_symbol" in dataset.attrs, f"{name}: no units_si for {unit!r}")
        units.add((unit, float(dataset.attrs["units_si"]), dataset.attrs["units_si_symbol"]))
    for unit, factor, symbol in units:
        if "Msun" in unit:
            require(symbol == "kg", f"{unit!r}: {symbol}")
            continue
        for text in (unit, symbol):
            try:
                in_astropy = astropy_units.Unit(text)
                in_pint = registry.Quantity(1, text) if text != "1" else registry.Quantity(1, "")
            except Exception as problem:
                raise Failure(f"unit {text!r}: {problem}") from problem
            if shutil.which("udunits2"):
                require(parsed_by_udunits(text), f"unit {text!r}: UDUNITS does not know it")
            wanted = factor if text == unit else 1
            require(np.isclose(in_astropy.to(astropy_units.Unit(symbol)), wanted, rtol=1e-9),
                    f"unit {text!r}: astropy disagrees with units_si")
            require(np.isclose(in_pint.to("" if symbol == "1" else symbol).magnitude, wanted, rtol=1e-4),
                    f"unit {text!r}: pint disagrees with units_si")
    libraries = "astropy, pint" + (", udunits2" if shutil.which("udunits2") else "")
    return f"{', '.join(sorted(unit for unit, _, _ in units))} with {libraries}"


def expected_dimensions(file):
    return {name for name, item in file.items() if isinstance(item, h5py.Dataset) and is_scale(item)}


def check_xarray(path, dimensions):
    """4.6 (1): both engines without arguments and without a warning; saved again by both and read back."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message="numpy.ndarray size changed")
        opened = {}
        for engine in ENGINES:
            with xr.open_dataset(path, engine=engine) as data:
                require(set(data.dims) == dimensions, f"{engine}: dimensions {sorted(data.dims)} instead of {sorted(dimensions)}")
                for name in data.variables:
                    require(data[name].dtype.kind in "iuf", f"{engine}: {name} became {data[name].dtype}")
                parameters = [name for name in data.variables if name.startswith("param_")]
                require(all(name in data.coords for name in parameters), f"{engine}: parameters are no coordinates")
                opened[engine] = data.load()
            with xr.open_dataset(path, engine=engine, group="provenance") as provenance:
                require(isinstance(provenance["scenario_json"].values.item(), str), f"{engine}: scenario_json is no text")
        require(opened["h5netcdf"].identical(opened["netcdf4"]), "the engines read different data")
        with tempfile.TemporaryDirectory() as folder:
            for reader in ENGINES:
                for writer in ENGINES:
                    copy = Path(folder) / f"{reader}-{writer}.nc"
                    opened[reader].to_netcdf(copy, engine=writer)
                    with xr.open_dataset(copy, engine=reader) as again:
                        require(again.equals(opened[reader]), f"opened with {reader}, saved with {writer}: other data")
    return "open, equal and saved again with h5netcdf and netCDF4"


def check_commands(path):
    used = []
    for command in (["ncdump", "-h"], ["h5dump", "-H"], ["h5ls"]):
        if shutil.which(command[0]):
            done = subprocess.run([*command, str(path)], capture_output=True, text=True)
            require(done.returncode == 0, f"{' '.join(command)}: exit {done.returncode}: {done.stderr.strip()}")
            used.append(command[0])
    return ", ".join(used) or "no command installed"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--incomplete", action="store_true", help="the file holds the members of an interrupted run")
    arguments = parser.parse_args()
    step = "open"
    try:
        with h5py.File(arguments.file, "r") as file:
            for step, check in (("layout", check_layout), ("attributes", check_attributes),
                                ("data", lambda f: check_data(f, arguments.incomplete)), ("grid", check_grid), ("filters", check_filters),
                                ("units", check_units)):
                print(f"{step}: {check(file)}")
            dimensions = expected_dimensions(file)
        step = "xarray"
        print(f"{step}: {check_xarray(arguments.file, dimensions)}")
        step = "commands"
        print(f"{step}: {check_commands(arguments.file)}")
    except Exception as problem:
        print(f"{arguments.file}: {step}: {problem or type(problem).__name__}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
