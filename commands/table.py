"""The table: `play` and `serve`."""

from __future__ import annotations

from pathlib import Path

import click

from commands.options import example, quiet, rule_options


@click.command(
    epilog=example(
        "towerlab play towers-and-bowers",
        "towerlab play bowers --against pimc,novice --advice always",
        "towerlab play --resume match.jsonl",
    )
)
@click.argument("game", required=False)
@click.option("--against", metavar="A[,B…]", help="Who plays the other seats; `towerlab players GAME` lists them.")
@click.option("--seat", type=click.IntRange(0), default=0, show_default=True, help="Where you sit.")
@click.option("--people", type=click.IntRange(1), default=1, show_default=True, help="How many share the screen.")
@click.option("--advice", type=click.Choice(["off", "ask", "always"]), default="ask", show_default=True)
@click.option("--record", type=click.Path(path_type=Path), help="Where the game is saved.  [default: your data folder]")
@click.option("--resume", type=click.Path(path_type=Path), metavar="FILE", help="Go on with a saved game.")
@click.option("--seed", type=click.IntRange(0), help="Of the cards and lots.  [default: drawn]")
@rule_options
def play(
    game: str | None,
    against: str | None,
    seat: int,
    people: int,
    advice: str,
    record: Path | None,
    resume: Path | None,
    seed: int | None,
    options: tuple[str, ...],
) -> None:
    """Play GAME in the terminal, against players of the simulator or with people at one screen.

    Answers are numbers or cards; ? asks for advice, u takes back, s saves, q leaves. Every action is saved at once.
    Lines from a pipe are answers, too.
    """
    from analysis.table.commanding import open_session, play_at_terminal

    session = open_session(
        game, against=against, seat=seat, people=people, record=record, resume=resume, seed=seed, options=options
    )
    play_at_terminal(session, advice)


@click.command(epilog=example("towerlab serve", "towerlab serve --port 8090 --no-browser"))
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="0 for any that is free.")
@click.option("--no-browser", is_flag=True, help="Do not open a page.")
@click.option("--folder", type=click.Path(path_type=Path), help="Where games are saved.  [default: your data folder]")
@quiet
def serve(port: int, no_browser: bool, folder: Path | None, quiet: bool) -> None:
    """Play, be advised and look back in a browser on this computer."""
    from analysis.table.store import default_folder
    from web.serving import serve as run

    run(folder or default_folder(), port, not no_browser, quiet)
