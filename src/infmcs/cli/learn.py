"""Commands about models: training them, and saying how good they are."""

from __future__ import annotations

from json import dumps
from pathlib import Path
from typing import Annotated, Any

import typer

from infmcs import durable
from infmcs.cli import arguments
from infmcs.cli.given import complete
from infmcs.cli.given import graphs as read
from infmcs.cli.output import Json, warn
from infmcs.errors import ConfigError


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command(
        epilog="Example: infmcs train molecules --preset infmcs --set pairs=500_000 -o my-run",
        short_help="Train a model on graphs; labels are solved exactly while it trains.",
    )(train)
    app.command(
        epilog="Example: infmcs evaluate molecules-mcs --set molecules --queries 30 -o record.json",
        short_help="Say how good a model is, beside trivial answers and the exact solver.",
    )(evaluate)
    app.command(
        epilog="Example: infmcs reproduce table-2",
        short_help="Rebuild a table or figure of the study from the records of finished runs.",
    )(reproduce)


def train(
    graphs: Annotated[
        str,
        typer.Argument(
            metavar="SET", help="A data set's name, or a file or folder of graphs.", autocompletion=complete
        ),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder of the run; an unfinished one goes on.", **arguments.PATH)
    ],
    metric: Annotated[str | None, typer.Option(help="mcs or ged; else the plan's.")] = None,
    preset: Annotated[str, typer.Option(help="A preset or a TOML file: the model and how it is trained.")] = "infmcs",
    seed: Annotated[int, typer.Option(help="Of the weights, the pairs and the split.")] = 0,
    protocol: Annotated[
        str, typer.Option(help="How a data set is split: paper, class-disjoint or published.")
    ] = "paper",
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="NAME=VALUE in place of the plan's, more than once.")
    ] = None,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    board: Annotated[bool, typer.Option("--board", help="Write for TensorBoard too.")] = False,
    threads: Annotated[int, typer.Option(min=1, help="Of torch.")] = 1,
) -> None:
    """Train a model on graphs; labels are solved exactly while it trains.

    The run's folder holds the plan, a log, the best weights and a checkpoint. The same command goes on where a
    stopped training was, to the weights it would have had.
    """
    import torch

    from infmcs import datasets, evaluate
    from infmcs import train as training
    from infmcs.cli.output import progress

    torch.set_num_threads(threads)
    changes = dict(_change(text) for text in set_ or ()) | ({} if metric is None else {"metric": metric})
    plan = training.plan(preset, **changes)
    wishes: dict[str, Any] = {}
    if graphs in datasets.NAMES:
        parts = evaluate.parts(graphs, protocol, seed)
        found, wishes["validation"] = parts.graphs.take(parts.train), parts.graphs.take(parts.validation)
        wishes["facts"] = {"set": graphs, "protocol": protocol, "split": seed}
    else:
        found = read(graphs)
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


def evaluate(
    model: Annotated[str, typer.Argument(metavar="RUN", help="A run's folder, a saved model, or one of the package.")],
    graphs: Annotated[str | None, typer.Option("--set", help="Data set; else the one of the training.")] = None,
    protocol: Annotated[
        str | None, typer.Option(help="paper, class-disjoint or published; else the training's.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Of the split; else the training's.")] = None,
    metric: Annotated[str | None, typer.Option(help="mcs or ged; else the training's.")] = None,
    queries: Annotated[int | None, typer.Option(help="Only so many test graphs.")] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the record here, as JSON.", **arguments.PATH)
    ] = None,
    json: Json = False,
) -> None:
    """Say how good a model is on the test graphs, beside trivial answers and the exact solver.

    Rank measures are means over queries; the pair of a graph with itself is never counted. p@k: the true best with all
    that tie with the k-th; predicted ties by their expected value, then the two other conventions.
    """
    import torch

    from infmcs import evaluate as evaluating
    from infmcs import models, pairs
    from infmcs.cli.output import progress, show_json, show_table

    torch.set_num_threads(1)
    told = models.record(model)
    trained = {"set": told.get("set"), "protocol": told.get("protocol", "paper"), "split": told.get("split", 0)}
    wanted = {"set": graphs, "protocol": protocol, "split": seed}
    asked = {key: trained[key] if value is None else value for key, value in wanted.items()}
    if asked["set"] is None:
        raise ConfigError(f"{model}: its record names no data set", hint="--set NAME says what to evaluate on")
    asked_for = pairs.metric(metric or told.get("plan", {}).get("train", {}).get("metric", "mcs"))
    given = evaluating.parts(str(asked["set"]), str(asked["protocol"]), int(asked["split"]))
    given = given if queries is None else given.first(queries)
    with progress("evaluating", len(evaluating.STEPS)) as tell:
        steps = {name: done for done, name in enumerate(evaluating.STEPS)}
        record = {
            **asked,
            **evaluating.evaluation(
                models.load(model),
                given,
                asked_for,
                progress=lambda name: tell(steps[name], name),
            ),
            "model": told,
            "seen": any(asked[key] != trained[key] for key in asked),
        }
    if output is not None:
        durable.write_text(output, dumps(record, indent=1, ensure_ascii=False) + "\n")
    if json:
        show_json(record)
        return
    counted = f"error in {record['counted']}"
    columns = (
        "answer",
        "mse e-2",
        counted,
        "rho",
        "tau",
        "p@10",
        "generous",
        "arbitrary",
        "p@20",
        "µs a pair",
    )
    show_table(columns, [_row(row, counted) for row in record["rows"]], title=_title(record))
    if record["seen"]:
        warn("this is not the split the model was trained on: test graphs may have been seen")


def reproduce(
    name: Annotated[str, typer.Argument(help="table-2, …: a TOML file of the folder; or all.")] = "all",
    folder: Annotated[Path, typer.Option(help="Where definitions and records are.", **arguments.PATH)] = Path(
        "reproduction"
    ),
) -> None:
    """Rebuild tables and figures of the study from records alone: ours beside the paper's. Nothing is trained."""
    from infmcs import reproduce as rebuilding

    for one in rebuilding.names(folder) if name == "all" else [name]:
        for path in rebuilding.rebuild(one, folder):
            if path.suffix == ".md" and name != "all":
                typer.echo(path.read_text(encoding="utf-8"))
            warn(f"wrote {path}")


def _row(row: dict[str, Any], counted: str) -> list[Any]:
    """One line of the table, in its own digits."""
    at10, at20 = row.get("p@10", {}), row.get("p@20", {})
    numbers = [100 * row["mse"], row.get(counted), row["rho"], row["tau"]]
    numbers += [at10.get("expected"), at10.get("generous"), at10.get("arbitrary"), at20.get("expected")]
    return [row["name"], *numbers, row["microseconds a pair"]]


def _title(record: dict[str, Any]) -> str:
    chance = ", ".join(f"{name} {value:.3f}" for name, value in record["chance"].items())
    return (
        f"{record['set']}, {record['metric']}, {record['protocol']} protocol, split {record['split']}: "
        f"{record['queries']} queries × {record['database']} graphs; by chance {chance or 'nothing'}"
    )


def _change(text: str) -> tuple[str, Any]:
    """`rate=0.002` as a name and a value, written as in TOML; a bare word is text."""
    import tomllib

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
