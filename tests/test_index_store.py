"""An index on disk: whole or not there, for any number of readers, whatever happens to its writer."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infmcs import Collection, Graph
from infmcs.errors import FormatError, InfmcsError, QuestionError
from infmcs.index import Index
from tests.kit import collections
from tests.test_index import molecules


def answers(index: Index, query: Graph) -> list[tuple[int, float, tuple[tuple[int, int], ...]]]:
    return [(hit.id, hit.similarity, hit.mapping) for hit in index.search(query, 5)]


@settings(max_examples=30)
@given(st.data())
def test_an_index_comes_back_as_it_was(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    graphs = data.draw(collections(max_nodes=6, labels=None, edge_labels=None, directed=None, features=None))
    path = tmp_path_factory.mktemp("index") / "my.index"
    index = Index.build(graphs)
    index.save(path)
    opened = Index.open(path)
    assert list(opened) == list(graphs) == list(index)
    assert opened.collection() == graphs
    if len(graphs) and not (graphs.directed and graphs.edge_labels is not None):
        assert answers(opened, graphs[0]) == answers(index, graphs[0])
    opened.verify()


def test_names_columns_and_ids_come_back(tmp_path: Path) -> None:
    graphs = molecules(6)
    Index.build(graphs).save(tmp_path / "a")
    opened = Index.open(tmp_path / "a")
    assert opened.ids.tolist() == [0, 1, 2, 3, 4, 5]
    assert opened.graph(4).name == "graph 4"
    back = opened.collection()
    assert list(back.names or ()) == list(graphs.names or ())
    assert list(back.columns["kind"]) == [0, 1, 2, 0, 1, 2]
    assert list(back.columns["source"]) == list("ababab")


def test_changes_keep_ids_and_answers_are_those_of_a_fresh_index(tmp_path: Path) -> None:
    graphs, more = molecules(20), molecules(10, seed=1)
    index = Index.build(graphs)
    index.save(tmp_path / "a")
    index = Index.open(tmp_path / "a")
    assert index.add(more).tolist() == list(range(20, 30))
    index.delete([3, 25])
    index.save()
    for step in ("opened", "compacted"):
        index = Index.open(tmp_path / "a")
        assert index.ids.tolist() == [i for i in range(30) if i not in (3, 25)], step
        assert len(index) == 28
        assert 3 not in index
        assert index.graph(24) == more[4]
        fresh = Index.build([g for i, g in enumerate([*graphs, *more]) if i not in (3, 25)])
        for query in (graphs[3], more[5]):
            ids = index.ids.tolist()
            assert answers(index, query) == [(ids[i], s, m) for i, s, m in answers(fresh, query)]
        index.compact()
        index.save()
    assert len([name for name in os.listdir(tmp_path / "a") if name.startswith("segment")]) == 1
    assert index.add(more[:1]).tolist() == [30], "an id is never given twice"
    with pytest.raises(QuestionError, match="no graph 3"):
        index.delete(3)


def test_merged_indexes_hold_all_graphs(tmp_path: Path) -> None:
    one, other = Index.build(molecules(5)), Index.build(molecules(4, seed=1))
    other.delete(2)
    assert one.merge(other).tolist() == [5, 6, 7]
    assert list(one)[5:] == [molecules(4, seed=1)[i] for i in (0, 1, 3)]


def test_a_search_goes_on_with_what_it_began_with() -> None:
    index = Index.build(molecules(5))
    reading = iter(index)
    first = next(reading)
    index.delete([1, 2, 3, 4])
    assert [first, *reading] == list(molecules(5))


def test_any_changed_or_missing_byte_is_noticed(tmp_path: Path) -> None:
    index = Index.build(molecules(3))
    index.save(tmp_path / "a")
    rng = np.random.default_rng(0)
    for file in sorted({*(tmp_path / "a").iterdir()} - {tmp_path / "a" / "lock"}):
        content = file.read_bytes()
        places = range(len(content)) if len(content) < 800 else sorted(rng.choice(len(content), 300, replace=False))
        for place in places:
            changed = bytearray(content)
            changed[place] ^= 1 << int(rng.integers(8))
            file.write_bytes(changed)
            with pytest.raises(InfmcsError):
                Index.open(tmp_path / "a").verify()
        for length in (0, 1, len(content) // 2, len(content) - 1):
            file.write_bytes(content[:length])
            with pytest.raises(InfmcsError):
                Index.open(tmp_path / "a").verify()
        file.write_bytes(content)
    Index.open(tmp_path / "a").verify()
    (tmp_path / "a" / "lock").unlink()
    for file in sorted((tmp_path / "a").iterdir()):
        content = file.read_bytes()
        file.unlink()
        with pytest.raises(FormatError):
            Index.open(tmp_path / "a")
        file.write_bytes(content)


def test_a_segment_of_another_index_is_refused(tmp_path: Path) -> None:
    for name, seed in (("a", 0), ("b", 1)):
        Index.build(molecules(3, seed)).save(tmp_path / name)
    ours, theirs = (next((tmp_path / name).glob("segment-*")) for name in "ab")
    ours.write_bytes(theirs.read_bytes())
    with pytest.raises(FormatError, match="another index"):
        Index.open(tmp_path / "a")


def test_what_is_no_index_is_refused_and_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    (tmp_path / "file").write_text("")
    for name in ("mine", "file", "nothing"):
        with pytest.raises(FormatError):
            Index.open(tmp_path / name)
    for name in ("mine", "file"):
        with pytest.raises(FormatError):
            Index.build(molecules(2)).save(tmp_path / name)
    assert (tmp_path / "mine" / "letter.txt").read_text() == "dear"


def test_a_second_writer_that_began_earlier_is_refused(tmp_path: Path) -> None:
    Index.build(molecules(3)).save(tmp_path / "a")
    first, second = Index.open(tmp_path / "a"), Index.open(tmp_path / "a")
    first.add(molecules(1, 5))
    first.save()
    second.delete(0)
    with pytest.raises(FormatError, match="another writer"):
        second.save()
    assert len(Index.open(tmp_path / "a")) == 4
    assert second.search(molecules(1)[0]).complete, "a reader keeps what it opened"


WRITER = """
import sys
from infmcs.index import Index
from tests.test_index import molecules
path = sys.argv[1]
for round in range(10**6):
    index = Index.open(path)
    index.delete(index.ids[:2])
    index.add(molecules(2, seed=round))
    if round % 5 == 4:
        index.compact()
    index.save()
    print(round, flush=True)
"""


@pytest.mark.slow
def test_a_writer_killed_at_any_moment_leaves_a_whole_index(tmp_path: Path) -> None:
    Index.build(molecules(12)).save(tmp_path / "a")
    rng = np.random.default_rng(0)
    for _ in range(12):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path / "a")], stdout=subprocess.PIPE)
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(float(rng.uniform(0, 0.15)))
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        left = Index.open(tmp_path / "a")
        left.verify()
        assert len(left) == 12
        assert left.search(molecules(1)[0], 3).complete


STEPS = """
import os, sys
from pathlib import Path
from infmcs.index import Index
from tests.test_index import molecules

def watched(function, deadly, count=[0]):
    def step(*given, **named):
        count[0] += 1
        if count[0] == deadly:
            os._exit(9)
        return function(*given, **named)
    return step

for deadly in range(1, 99):
    path = Path(sys.argv[1], str(deadly))
    Index.build(molecules(5)).save(path)
    child = os.fork()
    if not child:
        for name in ("replace", "fsync", "chmod", "unlink"):
            setattr(os, name, watched(getattr(os, name), deadly))
        index = Index.open(path)
        index.delete([0, 1])
        index.add(molecules(2, seed=7))
        index.compact()
        index.save()
        os._exit(0)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0:
        break
"""


def test_a_writer_that_dies_at_any_step_leaves_the_old_index_or_the_new(tmp_path: Path) -> None:
    old = list(molecules(5))
    new = old[2:] + list(molecules(2, seed=7))
    subprocess.run([sys.executable, "-c", STEPS, str(tmp_path)], check=True)
    seen = []
    for path in sorted(tmp_path.iterdir(), key=lambda path: int(path.name)):
        left = Index.open(path)
        left.verify()
        assert list(left) in (old, new)
        seen.append(list(left) == new)
        left.add(molecules(1))
        left.save()
        names = [name for name in os.listdir(path) if name.startswith((".", "segment"))]
        assert len(names) == len(left._contents.segments), "what the dead writer left is swept away"
    assert len(seen) > 6
    assert seen == sorted(seen), "old first, then new"
    assert (seen[0], seen[-1]) == (False, True)


def _write_often(path: Path, rounds: int) -> None:
    for k in range(rounds):
        index = Index.open(path)
        index.add(molecules(1, seed=k))
        index.delete(index.ids[0])
        index.compact()
        index.save()


def test_readers_see_whole_indexes_while_another_process_writes(tmp_path: Path) -> None:
    Index.build(molecules(8)).save(tmp_path / "a")
    writer = multiprocessing.get_context("spawn").Process(target=_write_often, args=(tmp_path / "a", 4))
    writer.start()
    failures: list[BaseException] = []

    def read() -> None:
        try:
            while writer.is_alive():
                index = Index.open(tmp_path / "a")
                assert len(index) == 8
                assert index.search(molecules(1)[0], 3).complete
        except BaseException as error:
            failures.append(error)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    writer.join()
    assert writer.exitcode == 0
    assert not failures
    assert Index.open(tmp_path / "a").ids.tolist() == list(range(4, 12))


def test_a_full_disk_leaves_the_old_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Index.build(molecules(3)).save(tmp_path / "a")
    index = Index.open(tmp_path / "a")
    index.add(molecules(2))

    def full(*given: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(FormatError, match="No space left"):
            index.save()
    assert len(Index.open(tmp_path / "a")) == 3
    index.save()
    assert len(Index.open(tmp_path / "a")) == 5


def test_an_empty_collection_makes_an_index_that_can_grow(tmp_path: Path) -> None:
    Index.build(Collection.from_graphs([])).save(tmp_path / "a")
    index = Index.open(tmp_path / "a")
    index.add(molecules(3))
    index.save()
    assert Index.open(tmp_path / "a").search(molecules(3)[1], 1).hits[0].id == 1
