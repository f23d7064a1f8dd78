"""``closebench-hub hub``."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import tempfile
import threading
from pathlib import Path

import click

from pipeline.errors import CannotRun, UsageError


@click.group("hub")
def command() -> None:
    """Run a Hub on this machine, to try things out.

    \b
    Example:
      closebench-hub hub serve
    """


@command.command("serve")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port on 127.0.0.1.  [default: a free one]")
@click.option("--token", metavar="TEXT", help="The write token of its user `me`; made up for this, never a real one.")
def serve(port: int, token: str | None) -> None:
    """Serve a Hub for datasets from memory on 127.0.0.1 until stopped (Ctrl-C); then everything in it is gone.

    Prints the lines that send the Hugging Face libraries of another shell to it, this command line included. Its user
    `me` may create repos such as me/closebench.

    \b
    Examples:
      closebench-hub hub serve
      closebench-hub hub serve --port 8123 --token hf_rehearsal
    """
    from pipeline.hub.loopback import Account, LoopbackHub

    if token is not None and not (token.isascii() and token.isprintable() and token and " " not in token):
        raise UsageError("--token takes one word of printable ASCII, for example hf_rehearsal")
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    hub = LoopbackHub({token: Account()} if token else None, port=port)
    try:
        hub.start()
    except OSError as error:
        raise CannotRun(f"cannot listen on 127.0.0.1:{port}: {error.strerror}; choose another --port") from None
    try:
        click.echo("# Copy these lines into another shell:")
        for name, value in hub.environment().items():
            click.echo(f"export {name}={shlex.quote(value)}")
        click.echo("# Serving until Ctrl-C.")
        stopped.wait()
    finally:
        hub.close()


@command.command("run", context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="COMMAND...")
def run(words: tuple[str, ...]) -> None:
    """Run a command against a Hub of its own, gone when the command ends; exit with its code.

    The command finds the Hub, a token of the user `me` and an empty cache in its environment.

    \b
    Example:
      closebench-hub hub run make release FAMILY=closebench REPO_ID=me/closebench YES=1
    """
    from pipeline.hub.loopback import LoopbackHub

    with LoopbackHub() as hub, tempfile.TemporaryDirectory(prefix="closebench-hub-run-") as home:
        environment = {**os.environ, **hub.environment(home=Path(home))}
        try:
            code = subprocess.run(words, env=environment, check=False).returncode
        except OSError as error:
            raise CannotRun(f"cannot run {words[0]!r}: {error.strerror}; name a command that is on the path") from None
    raise click.exceptions.Exit(code if code >= 0 else 128 - code)
