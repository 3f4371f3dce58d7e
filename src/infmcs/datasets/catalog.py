"""Which data sets there are: what each is, where it comes from, under which licence, and how its file is read."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from infmcs import formats
from infmcs.collection import Collection
from infmcs.datasets import places, reading
from infmcs.datasets.synthetic import barabasi_albert
from infmcs.errors import DatasetError, InfmcsError
from infmcs.pairs import METRICS, Metric

EDITION = 1  # raised when `reading` makes other graphs of the same file


@dataclass(frozen=True, slots=True)
class Figures:
    """A row of the paper's table of data sets. It counts an undirected edge in both directions."""

    graphs: int
    nodes: float
    edges: float
    labels: int


@dataclass(frozen=True, slots=True)
class Dataset:
    """One data set.

    file     FOLDER/FILE below a data folder; None where the graphs come with the package or are generated
    read     the graphs from that file
    truth    the file with published exact values of its pairs, beside `file`
    paper    what the paper's table says of it; `same` where these are the very graphs of the paper
    slow     to read, so that a copy in our own form is kept in the user's cache
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
    paper: Figures | None = None
    same: bool = False
    slow: bool = False


def _generated(size: int, metric: Metric, _path: Path) -> Collection:
    return barabasi_albert(size, metric).graphs


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
        note="the paper's AIDS: 1,500 drawn from 1,610, another draw",
        paper=Figures(1500, 10.22, 20.39, 38),
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
        paper=Figures(336, 13.97, 28.64, 20),
        same=True,
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
        paper=Figures(1500, 9.40, 15.58, 0),
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
        slow=True,
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
            paper=Figures(graphs, nodes, edges, 0),
            same=True,
            slow=True,
        )
        for name, least, graphs, nodes, edges in (
            ("openssl", 3, 73953, 15.73, 21.97),
            ("openssl20", 20, 15800, 44.89, 67.15),
            ("openssl50", 50, 4308, 83.68, 127.75),
        )
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
        paper=Figures(10824, 90.93, 136.83, 0),
        slow=True,
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
    *(
        Dataset(
            f"ba{size}{'_ged' * (metric == 'ged')}",
            f"preferential-attachment graphs around {size} nodes",
            1000,
            partial(_generated, size, metric),
            "MIT, as this package",
            "generated: 100 bases, 10 graphs around each, see `datasets.barabasi_albert`",
            note=f"the paper's BA{size} ({metric.upper()}), put right; column `base`",
        )
        for metric in METRICS
        for size in (100, 200, 300)
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


def located(name: str) -> str | None:
    """Where a data set is on this machine; None when it is not."""
    dataset = described(name)
    if dataset.file is None:
        return "in the package" if dataset.read is reading.bundled else "generated"
    found = places.find(dataset.file)
    return None if found is None else str(found)


def load(name: str) -> Collection:
    """The graphs of a data set, always the same and in the same order."""
    dataset = described(name)
    path = reading.BUNDLED if dataset.file is None else places.require(name, dataset.file)
    graphs = _kept(dataset, path) if dataset.slow else dataset.read(path)
    if len(graphs) != dataset.graphs:
        raise DatasetError(
            f"{name}: {path} holds {len(graphs):,} graphs of it, expected {dataset.graphs:,}",
            hint="it is another edition of the set; read it with `formats.read` to use it as it is",
        )
    return graphs


def _kept(dataset: Dataset, path: Path) -> Collection:
    """The graphs from our own copy, which is named by the content of their file; made where there is none yet."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    copy = places.cache() / "store" / f"{dataset.name}-{digest}-{EDITION}.infmcs"
    if copy.is_file():
        with suppress(InfmcsError):  # damaged, or of another version: it is made again
            return formats.read(copy)
    graphs = dataset.read(path)
    with suppress(OSError, InfmcsError):  # nowhere to keep it: then it is slow again next time
        copy.parent.mkdir(parents=True, exist_ok=True)
        formats.write(graphs, copy)
    return graphs
