"""Settings come from TOML into frozen dataclasses; a slip of the pen is an error that says what was meant."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infmcs import config
from infmcs.errors import ConfigError


@dataclass(frozen=True)
class Optimiser:
    rate: float = 1e-3
    name: str = "adam"


@dataclass(frozen=True)
class Training:
    steps: int = 100
    sizes: tuple[int, ...] = (1, 2)
    seed: int | None = None
    averaged: bool = False
    optimiser: Optimiser = field(default_factory=Optimiser)


def test_what_the_file_leaves_out_keeps_its_default(tmp_path: Path) -> None:
    path = tmp_path / "training.toml"
    path.write_text("steps = 7\n[optimiser]\nrate = 0.5\n")
    assert config.load(Training, path) == Training(steps=7, optimiser=Optimiser(rate=0.5))


@given(
    st.builds(
        Training,
        st.integers(),
        st.lists(st.integers(0, 99)).map(tuple),
        st.none() | st.integers(0, 99),
        st.booleans(),
        st.builds(Optimiser, st.floats(allow_nan=False), st.text(st.characters(exclude_categories=["Cs"]))),
    )
)
def test_dumped_settings_load_as_they_were(settings: Training) -> None:
    import tomllib

    assert config.parse(Training, tomllib.loads(config.dump(settings))) == settings


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("step = 1", "there is no setting step\nhint: did you mean steps"),
        ("zzz = 1", "hint: known here: steps, sizes"),
        ("[optimiser]\nrat = 1", "no setting optimiser.rat\nhint: did you mean optimiser.rate"),
        ("steps = 'many'", "steps = 'many'"),
        ("[optimiser]\nrate = 'x'", "optimiser.rate = 'x'"),
        ("steps = [", "not TOML"),
    ],
)
def test_a_slip_is_an_error_that_says_what_was_meant(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "slip.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message) as caught:
        config.load(Training, path)
    assert "slip.toml" in str(caught.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no such file"):
        config.load(Training, tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"name = '\xe9'")
    with pytest.raises(ConfigError, match="not UTF-8"):
        config.load(Training, tmp_path / "latin.toml")
    with pytest.raises(ConfigError, match="cannot be read"):
        config.load(Training, tmp_path)
