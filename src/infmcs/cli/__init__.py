"""The command line. A command parses, makes one library call and prints; it imports what it needs when it runs.

Answers go to stdout (a table, or JSON with --json), progress and warnings to stderr. Exit codes: 0 done, 1 an error
in what was given (the message says which), 2 wrong usage, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import sys

import typer

from infmcs.cli import compare, data, demo, edit, graphs, index, learn, serve, solve

app = typer.Typer(
    name="infmcs",
    help="Graph similarity that can be checked.",
    epilog="Exit codes: 0 done · 1 an error in what was given · 2 wrong usage · 130 stopped by Ctrl-C.",
    no_args_is_help=True,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
compare.register(app)
data.register(app)
demo.register(app)
edit.register(app)
graphs.register(app)
index.register(app)
learn.register(app)
serve.register(app)
solve.register(app)


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", help="Print the version and stop.", is_eager=True),
) -> None:
    if version:
        from infmcs import provenance

        typer.echo(f"infmcs {provenance.version()}")
        raise typer.Exit


def main() -> None:
    """Run the command line; our own errors become a message and exit code 1."""
    import warnings

    from infmcs.errors import InfmcsError

    warnings.showwarning = lambda message, *_: typer.echo(f"warning: {message}", err=True)
    try:
        app()
    except InfmcsError as error:
        typer.echo(f"infmcs: {error}", err=True)
        sys.exit(1)
    except KeyboardInterrupt:
        typer.echo("stopped", err=True)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
