"""Which data sets there are: what each is, where it comes from, under which licence, and how its file is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from infmcs.collection import Collection
from infmcs.datasets import places, reading
from infmcs.errors import DatasetError


@dataclass(frozen=True, slots=True)
class Dataset:
    """One data set.

    file     FOLDER/FILE below a data folder; None where the graphs come with the package
    read     the graphs from that file
    truth    the file with published exact values of its pairs, beside `file`
    """

    name: str
    title: str
    graphs: int
    read: Callable[[Path], Collection]
    licence: str
    origin: str
    file: str | None = None
    truth: str | None = None
    note: str = ""


_IAM = "free for non-commercial research, citation asked for (IAM graph database)"
_UNSTATED = "none stated where it is published"
_DTP = "NCI/DTP AIDS antiviral screen (public)"
_MIVIA = "MIVIA graph database (Foggia, Sansone, Vento), mcs10 to mcs90; sizes proven by seven public solvers"
_OPENSSL = "OpenSSL 1.0.1f and 1.0.1u in 24 builds, of the Gemini and MGMN studies"

_ALL = (
    Dataset(
        "molecules",
        "molecules of the NCI open set",
        4991,
        reading.bundled,
        "BSD-3-Clause (RDKit)",
        "first_5K.smi as shipped with RDKit, converted once",
        note="comes with the package",
    ),
    Dataset(
        "aids",
        "compounds of the AIDS set with 2–15 atoms",
        1500,
        reading.aids,
        _IAM,
        f"IAM graph database, TU edition; {_DTP}",
        "AIDS/AIDS.zip",
        note="the paper's AIDS: 1,500 drawn from 1,610",
    ),
    Dataset(
        "ptc_mm",
        "compounds tested on male mice",
        336,
        reading.ptc_mm,
        _UNSTATED,
        "Predictive Toxicology Challenge, TU edition",
        "PTC_MM/PTC_MM.zip",
        note="the paper's PTC_MM",
    ),
    Dataset(
        "linux",
        "program dependence graphs of kernel functions",
        1000,
        reading.json_lines,
        _UNSTATED,
        "SimGNN's LINUX, from Wang et al. (ICDE 2012)",
        "LINUX/LINUX.jsonl.xz",
        "linux_ged_mcs.npz",
        note="not the paper's 1,500",
    ),
    Dataset(
        "aids700nef",
        "compounds with at most 10 atoms, no hydrogens",
        700,
        reading.valences,
        _UNSTATED,
        f"SimGNN's AIDS700nef; {_DTP}",
        "AIDS700nef/AIDS700nef.jsonl.xz",
        "aids700nef_ged_mcs.npz",
        note="not in the paper; exact values published",
    ),
    Dataset(
        "aids42k",
        "the whole antiviral screen",
        42689,
        reading.any_format,
        _UNSTATED,
        f"{_DTP}; from the Nass study",
        "AIDS_DTP42k/AIDS_42k.txt.xz",
        note="for scale; labels are numbers",
    ),
    *(
        Dataset(
            name,
            f"control-flow graphs of OpenSSL, {least}–200 blocks",
            graphs,
            partial(reading.control_flow, least=least),
            "BSD-3-Clause and MIT (the studies); OpenSSL licence",
            _OPENSSL,
            "OpenSSL_CFG/openssl_cfg.tar.xz",
            note=f"the paper's OpenSSL [{least},200]",
        )
        for name, least, graphs in (("openssl", 3, 73953), ("openssl20", 20, 15800), ("openssl50", 50, 4308))
    ),
    Dataset(
        "ffmpeg",
        "control-flow graphs of FFmpeg, 50–200 blocks",
        7262,
        partial(reading.control_flow, least=50),
        "MIT (the study); LGPL/GPL (FFmpeg)",
        "FFmpeg in 6 of the 8 builds of the MGMN study",
        "FFmpeg_CFG/ffmpeg_cfg_min50_6of8.tar.xz",
        note="two of the paper's eight builds are missing",
    ),
    *(
        Dataset(
            name,
            title,
            3980,
            partial(reading.mivia, percent=percent),
            _UNSTATED,
            _MIVIA,
            "MIVIA_MCS/mivia_mcs_solved.jsonl.xz",
            "mivia_mcs_solved.jsonl.xz",
            note="hard instances; graphs 2k and 2k + 1 are a pair",
        )
        for name, title, percent in (
            ("mivia", "random graphs and meshes in pairs", 0),
            ("mivia33", "the same, labels for a third of the nodes", 33),
            ("mivia50", "the same, labels for half of the nodes", 50),
        )
    ),
)
CATALOG: dict[str, Dataset] = {each.name: each for each in _ALL}
NAMES: tuple[str, ...] = tuple(CATALOG)


def described(name: str) -> Dataset:
    """What is known of a data set; an unknown name is an error that suggests the nearest."""
    import difflib

    if name not in CATALOG:
        close = difflib.get_close_matches(name, NAMES, n=1)
        hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(NAMES)}"
        raise DatasetError(f"there is no data set {name!r}", hint=hint)
    return CATALOG[name]


def located(name: str) -> Path | None:
    """The file of a data set on this machine, or None. What comes with the package is always there."""
    dataset = described(name)
    return reading.BUNDLED if dataset.file is None else places.find(dataset.file)


def load(name: str) -> Collection:
    """The graphs of a data set, always the same and in the same order."""
    dataset = described(name)
    path = reading.BUNDLED if dataset.file is None else places.require(name, dataset.file)
    graphs = dataset.read(path)
    if len(graphs) != dataset.graphs:
        raise DatasetError(
            f"{name}: {path} holds {len(graphs):,} graphs of it, expected {dataset.graphs:,}",
            hint="it is another edition of the set; read it with `formats.read` to use it as it is",
        )
    return graphs
