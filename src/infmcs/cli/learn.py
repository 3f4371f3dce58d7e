"""Commands about models: training them, and saying how good they are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command(
        epilog="Example: infmcs train molecules --preset infmcs --set pairs=500_000 -o my-run",
        short_help="Train a model on graphs; labels are solved exactly while it trains.",
    )(train)


def train(
    graphs: Annotated[str, typer.Argument(metavar="SET", help="A data set's name, or a file or folder of graphs.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder of the run; an unfinished one goes on.")],
    metric: Annotated[str | None, typer.Option(help="mcs or ged; else the plan's.")] = None,
    preset: Annotated[str, typer.Option(help="A preset or a TOML file: the model and how it is trained.")] = "infmcs",
    seed: Annotated[int, typer.Option(help="Of the weights, the pairs and the split.")] = 0,
    protocol: Annotated[
        str, typer.Option(help="How a data set is split: paper, class-disjoint or published.")
    ] = "paper",
    set_: Annotated[list[str], typer.Option("--set", help="NAME=VALUE in place of the plan's, more than once.")] = [],  # noqa: B006
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    board: Annotated[bool, typer.Option("--board", help="Write for TensorBoard too.")] = False,
    threads: Annotated[int, typer.Option(help="Of torch.")] = 1,
) -> None:
    """Train a model on graphs; labels are solved exactly while it trains.

    The run's folder holds the plan, a log, the best weights and a checkpoint. The same command goes on where a
    stopped training was, to the weights it would have had.
    """
    import torch

    from infmcs import datasets, evaluate, formats
    from infmcs import train as training
    from infmcs.cli.output import progress, warn

    torch.set_num_threads(threads)
    changes = dict(_change(text) for text in set_) | ({} if metric is None else {"metric": metric})
    plan = training.plan(preset, **changes)
    wishes: dict[str, Any] = {}
    if graphs in datasets.NAMES:
        parts = evaluate.parts(graphs, protocol, seed)
        found, wishes["validation"] = parts.graphs.take(parts.train), parts.graphs.take(parts.validation)
        wishes["facts"] = {"set": graphs, "protocol": protocol, "split": seed}
    else:
        found = formats.read(graphs)
    with progress(f"training {output.name}", plan.train.steps) as tell:
        training.fit(
            found,
            plan=plan,
            seed=seed,
            run=output,
            device=device,
            board=board,
            **wishes,
            progress=lambda done, _, told: tell(done, _words(told)),
        )
    warn(f"{output}: trained; `infmcs evaluate {output}` says how good it is")


def _change(text: str) -> tuple[str, Any]:
    """`rate=0.002` as a name and a value, written as in TOML; a bare word is text."""
    import tomllib

    from infmcs.errors import ConfigError

    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise ConfigError(f"--set {text}: expected NAME=VALUE", hint="--set rate=0.002 --set model.width=64")
    try:
        return name.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name.strip(), value.strip()


def _words(told: dict[str, float]) -> str:
    """The last validation in a few words."""
    return " ".join(f"{name} {told[name]:.4g}" for name in ("mse", "rho", "p10", "auc") if name in told)
