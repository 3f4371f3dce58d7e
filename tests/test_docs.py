"""What the docs say holds: links lead somewhere, commands and options exist, code runs, generated tables are fresh."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_help import ALL
from tests.test_layers import LAYERS

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
IDS = [str(page.relative_to(ROOT)) for page in PAGES]


def blocks(page: Path, *languages: str) -> list[str]:
    found = re.findall(r"^```(\w*)\n(.*?)^```", page.read_text(), re.M | re.S)
    return [code for language, code in found if language in languages]


def anchors(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if "://" in link or link.startswith("mailto:"):
            continue
        file, _, anchor = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        assert target.exists(), f"{page.name} links to {link}"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), f"{page.name} links to {link}"


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_commands_in_the_docs_exist_with_their_options(page: Path) -> None:
    for code in blocks(page, "sh", "bash", "console"):
        for line in code.replace("\\\n", " ").splitlines():
            words = shlex.split(line.removeprefix("$ "), comments=True)
            if words[:1] == ["make"]:
                targets = {word for word in words[1:] if not word.startswith("-")}
                assert targets <= set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M)), line
            if words[:1] != ["infmcs"] or words[1:2] in ([], ["--help"], ["--version"]):
                continue
            name = next((name for name in (" ".join(words[1:3]), words[1]) if name in ALL), None)
            assert name is not None or words[1].startswith("--"), f"{page.name}: there is no {line}"
            if name is not None:
                known = {
                    option for parameter in ALL[name].params for option in (*parameter.opts, *parameter.secondary_opts)
                }
                for word in words[2:]:
                    if re.match(r"--?[a-z]", word):
                        assert word.split("=")[0] in known | {"--help"}, f"{page.name}: {line} has no {word}"


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=lambda page: page.name)
def test_python_in_the_docs_runs(page: Path, tmp_path: Path) -> None:
    """All blocks of a page one after another, as a reader types them; `# not run` on the first line exempts one."""
    code = "\n".join(block for block in blocks(page, "python") if not block.startswith("# not run"))
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow  # a record that somebody renews makes them stale: `make docs` writes them again
def test_generated_tables_are_fresh() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tools.tables", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_citation_names_this_version_and_the_paper() -> None:
    import infmcs

    citation = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {infmcs.__version__}\n" in citation
    assert "Maximum Common Subgraph Inference" in citation


def test_the_readme_has_exactly_two_set_up_commands() -> None:
    setup = (ROOT / "README.md").read_text().split("## Set up")[1].split("```")[1]
    assert [line.split("#")[0].strip() for line in setup.splitlines()[1:]] == ["make demo", ". .venv/bin/activate"]


def test_the_drawing_shows_every_layer() -> None:
    drawing = (ROOT / "docs" / "architecture.md").read_text().split("```")[1]
    shown = set(re.findall(r"\w+", drawing)) | {"_native"}
    assert {name for row in LAYERS for name in row.split()} <= shown
