"""The command line. A command parses, makes one library call and prints; it imports what it needs when it runs.

Answers go to stdout (a table, or JSON with --json), progress and warnings to stderr. Exit codes: 0 done, 1 an error
in what was given (the message says which), 2 wrong usage, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import typer
from typer.core import TyperGroup

from infmcs.cli import compare, data, demo, edit, graphs, index, learn, serve, solve
from infmcs.cli.output import say, warn


class _Stoppable(TyperGroup):
    """Ctrl-C is one word and exit code 130, whatever the version of typer makes of it."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            warn("stopped")
            raise typer.Exit(130) from None


app = typer.Typer(
    name="infmcs",
    cls=_Stoppable,
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

        say(f"infmcs {provenance.version()}")
        raise typer.Exit


def _forget_output() -> None:
    """What could not be written is not tried again when the interpreter ends."""
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


def main() -> None:
    """Run the command line; our own errors become a message and exit code 1."""
    import warnings

    from infmcs.errors import InfmcsError

    warnings.showwarning = lambda message, *_: warn(f"warning: {message}")
    try:
        try:
            app()
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()  # a full disk is told here, not when the interpreter ends
    except InfmcsError as error:
        warn(f"infmcs: {error}")
        sys.exit(1)
    except BrokenPipeError:  # the reader has seen enough
        _forget_output()
        sys.exit(0)
    except OSError as error:  # of a file that the system refuses; without a name, it is what we print to
        warn(f"infmcs: {error.filename or 'the output'}: {error.strerror or error}")
        _forget_output()
        sys.exit(1)
