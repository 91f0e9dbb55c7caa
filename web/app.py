"""Which address shows or does what? The routes of the table: pages of sessions, records and trainings, and their
actions.

A route is a function of the server, the request and its form that returns a response. If it raises a `TowerlabError`,
the present page is shown again, with the error.

    towerlab serve --port 8080 --no-browser
"""

import asyncio
import dataclasses
import secrets
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from towerlab.analysis.advice import Advice
from towerlab.analysis.catalog import GAMES, find_game
from towerlab.analysis.saved_games import new_file
from towerlab.games.engine import Engine
from towerlab.games.errors import TowerlabError
from towerlab.games.rulebook import read_rules, read_summary
from towerlab.games.transcript import Action
from towerlab.table.commanding import (
    open_recording,
    open_session,
    open_training,
    read_recording,
    read_session,
    table_of,
    take_own_games,
)
from towerlab.table.game import HUMAN, Prompt, TableGame
from towerlab.table.grading import Grading
from towerlab.table.postmortem import post_mortem
from towerlab.table.reading import read_action
from towerlab.table.review import GameReview, judge_some, review_game, review_lines, review_of
from towerlab.table.session import Session
from towerlab.web import answering, pages
from towerlab.web.answering import LONGEST, answer_apart
from towerlab.web.guard import Guard, read_body
from towerlab.web.questions import QuestionError, QuestionForm, answer_parts, question_page
from towerlab.web.reviews import review_page
from towerlab.web.sessions import NoSuchSession, Sessions, TableBusyError

FIRST_PAGE: Final = 1.0  # seconds that what is asked for may take before a page says that it does
PATIENCE: Final = 0.25  # seconds that players may act before the page is shown as it then is
GRADING_SECONDS: Final = 1.5  # seconds of grading before the page is shown as far as it is
ADVICE_SECONDS: Final = 2.5  # seconds of a look after which none with twice as many layouts follows: ten seconds in all
MOST_LAYOUTS: Final = 20_000  # of advice that goes on while one waits
MOST_FIELDS: Final = 80
TABLE_ACTIONS: Final = ("show", "act", "advance", "back", "branch", "again", "forced")
FORCED: Final = "forced"  # the cookie of who wants forced cards played
SHOWN: Final = "shown"  # the cookie of a table that several people share: whose hand lies open at this screen
REPORTS: Final = Path(__file__).resolve().parents[1] / "reports"  # of a checkout
_ALONE: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
)
_FILES: Final = {"style.css": "text/css", "script.js": "text/javascript", "icon.svg": "image/svg+xml"}

Form = Mapping[str, list[str]]
Handler = Callable[["TableServer", Request, Form], Response]


class StalePageError(TowerlabError):
    """A request from a page that shows the table as it was."""


class FaceDown(TowerlabError):
    """A hand that its player has not yet said to show at a screen that several people share."""

    def __init__(self, seat: int) -> None:
        super().__init__(f"the hand of player {seat + 1} is not shown before player {seat + 1} says so")
        self.seat = seat


class TableServer:
    """The state of the server: sessions, trainings, records and forms.

    Args:
        folder: the folder of the sessions.
        questions: the questions that can be asked in forms.
        own: players of the user's that are offered besides ours, as texts.
    """

    def __init__(self, folder: Path, questions: Sequence[QuestionForm] = (), own: Sequence[str] = ()) -> None:
        self.own = tuple(own)
        self.sessions = Sessions(folder, lambda path: read_session(path, self.own))
        self.token = secrets.token_urlsafe(24)
        self.trainings = Sessions(folder / "training", lambda path: open_training(path.stem, path.parent), GAMES)
        self.records = Sessions(folder / "records", read_recording)
        self.key = secrets.token_urlsafe(24)
        self.questions = {question.path: question for question in questions}
        self._prepared = set[tuple[str, str]]()

    def application(self, hosts: frozenset[str]) -> Guard:
        """Return the ASGI application, for requests that name one of these hosts."""
        routes = [
            Route("/", self._page(_start)),
            Route("/new", self._page(_new), methods=["POST"]),
            Route("/table/{name}", self._page(_table)),
            Route("/table/{name}/review", self._page(_review)),
            *(Route(f"/table/{{name}}/{deed}", self._page(_change), methods=["POST"]) for deed in TABLE_ACTIONS),
            Route("/record", self._page(_record_new), methods=["POST"]),
            Route("/record/{record}", self._page(_record)),
            Route("/record/{record}/answer", self._page(_record_answer), methods=["POST"]),
            Route("/record/{record}/review", self._page(_record_review)),
            Route("/train/{training}", self._page(_train)),
            Route("/train/{training}/answer", self._page(_train_answer), methods=["POST"]),
            Route("/train/{training}/own", self._page(_train_own), methods=["POST"]),
            Route("/train/{training}/decision", self._page(_train_decision), methods=["POST"]),
            Route("/doing", self._page(_doing)),
            Route("/rules/{rules}", self._page(_rules)),
            Route("/pages/{file:path}", self._page(_report)),
            Route("/ask/{question:path}", self._page(_ask)),
            Route("/open", self._page(_open)),
            Route("/static/{file}", self._page(_static)),
        ]
        refusals = {
            HTTPException: _refuse,
            FaceDown: self._face_down,
            TableBusyError: _wait,
            NoSuchSession: lambda _, error: _mistake(404, "No such table", str(error)),
            TowerlabError: lambda _, error: _mistake(400, "This cannot be shown", str(error)),  # a damaged file
        }
        return Guard(Starlette(routes=routes, exception_handlers=refusals), hosts, self.key)

    def _page(self, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
        """Return a route: the form read, a change refused without the token, every mistake shown in a page."""

        async def respond(request: Request) -> Response:
            body = await read_body(request)
            request.state.has_left = threading.Event()
            leaving = asyncio.create_task(_note_leaving(request))
            try:
                return await run_in_threadpool(self._answer, handler, request, body)
            finally:
                leaving.cancel()

        return respond

    def _answer(self, handler: Handler, request: Request, body: bytes) -> Response:
        form = _read_form(body)
        if request.method == "POST" and not secrets.compare_digest(_only(form, "token").encode(), self.token.encode()):
            raise HTTPException(403, "the page is not from this server, or from before it was started anew")
        try:
            return handler(self, request, form)
        except (TableBusyError, NoSuchSession, FaceDown):
            raise
        except TowerlabError as error:
            shown = next((page for part, page in _PAGES.items() if part in request.path_params), _start)
            response = shown(self, request, form, str(error))  # the page as it stands now, with what was wrong
            response.status_code = 409 if isinstance(error, StalePageError) else 400
            return response

    def _face_down(self, request: Request, hidden: Exception) -> Response:
        """Return the page that asks, before a hand is shown, whether its player is at the screen."""
        assert isinstance(hidden, FaceDown)
        name = request.path_params["name"]
        response = Response()
        if request.query_params.get("format") == "json":
            response = JSONResponse({"error": str(hidden), "seat": hidden.seat}, 403)
        else:
            html = pages.render("handover.html.j2", title="towerlab", name=name, seat=hidden.seat, token=self.token)
            response = HTMLResponse(html)
        response.delete_cookie(SHOWN, path=f"/table/{name}")
        return response

    def prepare(self, session: Session, seat: int) -> BackgroundTask | None:
        """Compile what advice needs while the page is read, once for each kind of decision; None where all is compiled.

        The advice is worked out and thrown away.
        """
        if session.waits_for != seat or session.forced_action() or not answering.has_compiled():
            return None
        kind = session.game.name, session.prompt(seat).question.partition(":")[0]
        if kind in self._prepared:
            return None
        self._prepared.add(kind)
        return BackgroundTask(_advise, session.game, session.engine.view(seat), session.engine.options)


async def _note_leaving(request: Request) -> None:
    """Note on a request whose body has come that its browser has left: no other message can follow."""
    await request.receive()
    request.state.has_left.set()


def _read_form(body: bytes) -> dict[str, list[str]]:
    """Return the fields of a form.

    Raises:
        HTTPException: no form, or too many fields.
    """
    fields: dict[str, list[str]] = {}
    try:
        for key, value in parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=MOST_FIELDS):
            fields.setdefault(key, []).append(value)
    except ValueError as error:
        raise HTTPException(400, "the form cannot be read") from error
    return fields


def _only(form: Form, name: str) -> str:
    """Return the only value of a field, empty where it is missing."""
    values = form.get(name, [""])
    if len(values) != 1:
        raise HTTPException(400, f"the field {name} stands {len(values)} times")
    return values[0]


def _number(text: str, what: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 18):
        raise TowerlabError(f"{what} is no number; expected one such as 7")
    return int(text)


def _mistake(status: int, heading: str, message: str) -> Response:
    return HTMLResponse(pages.render("message.html.j2", title=heading, heading=heading, message=message), status)


def _wait(request: Request, error: Exception) -> Response:
    """Return a page that asks for the same address again, until it can be shown."""
    waiting = pages.render("waiting.html.j2", title="towerlab", doing=answering.compiling_words())
    return HTMLResponse(waiting, headers={"Refresh": "1"})


def _refuse(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 405 and request.method == "GET":  # the address of a refused action, opened again
        return RedirectResponse(request.url.path.rpartition("/")[0] or "/", 303)
    return _mistake(error.status_code, "Not found" if error.status_code == 404 else "Refused", str(error.detail))


# ------------------------------------------------------------------------------------------------------------ pages


def _start(server: TableServer, request: Request, form: Form, message: str = "") -> Response:
    games = [table_of(name) for name, game in GAMES.items() if game.table]
    html = pages.render(
        "start.html.j2",
        title="towerlab",
        games=games,
        options={game.name: pages.option_fields(find_game(game.name).load("options")) for game in games},
        listed=server.sessions.list_latest(),
        records=server.records.list_latest(),
        questions={
            game.title: [form for form in server.questions.values() if form.game == game.name] for game in games
        },
        token=server.token,
        message=message,
        own=server.own,
        reports=_reports(),
    )
    return HTMLResponse(html)


def _reports() -> dict[str, Path]:
    """Return the pages of a checkout by their addresses; none in an installed package."""
    return {path.relative_to(REPORTS).as_posix(): path for path in sorted(REPORTS.glob("*/*.html"))}


def _report(server: TableServer, request: Request, form: Form) -> Response:
    """Return a page that stands alone, with its style and its script inside."""
    path = _reports().get(request.path_params["file"])
    if path is None:
        raise HTTPException(404, "there is no such page; the start page lists them")
    return FileResponse(path, headers={"Content-Security-Policy": _ALONE})


def _static(server: TableServer, request: Request, form: Form) -> Response:
    name = request.path_params["file"]
    if name not in _FILES:
        raise HTTPException(404, "there is no such file")
    return Response(pages.static_file(name), media_type=_FILES[name])


def _doing(server: TableServer, request: Request, form: Form) -> Response:
    """Return what the server is doing while a page waits."""
    return PlainTextResponse(answering.compiling_words())


def _rules(server: TableServer, request: Request, form: Form) -> Response:
    game = GAMES.get(request.path_params["rules"])
    if game is None:
        raise HTTPException(404, "there is no such game; the start page lists them")
    title = f"{game.title}: the rules"
    rules = read_rules(game.rules)
    return HTMLResponse(pages.render("rules.html.j2", title=title, short=read_summary(game.rules), rules=rules))


def _ask(server: TableServer, request: Request, form: Form) -> Response:
    """Return a form, filled in with its example as long as nothing is asked; its answer beneath it."""
    question = server.questions.get(request.path_params["question"])
    query = request.query_params
    if question is None:
        raise HTTPException(404, "there is no such question; the start page lists them")
    names = question.fields
    values = {name: value.strip() for name, value in query.multi_items() if name in names and value.strip()}
    is_json = query.get("format") == "json"
    is_asked = any(name != "format" for name in query)
    answer = None
    error = None
    try:
        if strange := [name for name in query if name not in names and name != "format"]:
            raise QuestionError(f"there is no field {strange[0][:40]}; expected {', '.join(names)}")
        if is_asked or is_json:
            patience = LONGEST if is_json else FIRST_PAGE
            answer = answer_apart(question, values, server.own, request.state.has_left, patience)
    except QuestionError as wrong:
        error = wrong
    if is_json:
        if error is not None or answer is None:
            return JSONResponse({"error": str(error), "field": error.field if error else ""}, 400)
        return Response(answer.json, media_type="application/json")
    shown = values if is_asked else question.first_values
    return HTMLResponse(
        question_page(question, shown, answer.parts if answer else [], error), 200 if error is None else 400
    )


def _open(server: TableServer, request: Request, form: Form) -> Response:
    """Return a position as a link: its question, answered."""
    game = next(game for game in GAMES.values() if game.links)
    command, values = game.load("links")(request.query_params.get("link", "")).question()
    path = next(path for path, question in server.questions.items() if question.game == game.name and command in path)
    filled = {name.replace("_", "-"): 1 if value is True else value for name, value in values.items() if value}
    return RedirectResponse(f"/ask/{path}?{urlencode(filled)}", 303)


def _table(server: TableServer, request: Request, form: Form, message: str = "") -> Response:
    name = request.path_params["name"]
    query = {} if message else request.query_params
    with server.sessions.hold(name, -1 if query.get("format") == "json" else FIRST_PAGE) as session:
        seat = _seat(session, request, _only(form, "seat") if message else query.get("seat", ""))
        is_asked = query.get("advice") == "1"
        at = None
        if "at" in query:
            at = min(_number(query["at"], "the number of actions"), session.length)
        waits = is_asked and session.waits_for == seat and at is None and not session.forced_action()
        game = session.game
        engine = session.engine.copy()
        length = session.length if at is None else at
        names = session.names(seat)
        deciders = session.deciders(seat, length) if "marks" in query else {}
        due = {number: actor for number, actor in deciders.items() if number not in session.judged}
    # Nobody waits for the table while it is thought about.
    asked_at = time.monotonic()
    layouts = _layouts(query)
    advice = game.advise(engine.view(seat), engine.options, *layouts) if waits else None
    is_quick = time.monotonic() - asked_at < ADVICE_SECONDS
    judged = judge_some(game, engine, due, GRADING_SECONDS) if due else {}
    with server.sessions.hold(name) as session:
        if session.engine.actions[: engine.length] == engine.actions:
            session.judged |= judged
            graded = [decision for number in deciders for decision in session.judged.get(number, ())]
            if deciders and deciders.keys() <= session.judged.keys() and (seat, length) not in session.post_mortems:
                report = post_mortem(game, engine, names, seat, length, graded)
                session.post_mortems[seat, length] = report
        if session.length != engine.length:
            advice = None
        if query.get("format") == "json":
            return JSONResponse(pages.table_json(session, seat, advice))
        page = pages.table_page(
            session,
            seat,
            advice=advice,
            at=at,
            name=name,
            token=server.token,
            is_asked=is_asked,
            more=_more(advice, *layouts) if is_quick else 0,
            message=message,
            proof=_proof(session, seat, query),
            plays_forced=_plays_forced(request),
        )
        return HTMLResponse(page, background=None if is_asked or "at" in query else server.prepare(session, seat))


def _advise(game: TableGame, view: Any, options: Any) -> None:
    with suppress(TowerlabError):
        game.advise(view, options)


def _more(advice: Advice | None, seed: int = 0, asked: int = 0) -> int:
    """Return how many layouts may decide an open advice; 0 where it is decided, or drew fewer than were asked for."""
    if advice is None or not advice.can_draw_more or advice.drawn < asked or 2 * advice.drawn > MOST_LAYOUTS:
        return 0
    return 2 * advice.drawn


def _layouts(query: Mapping[str, str]) -> tuple[int, ...]:
    """Return the seed and how many layouts are asked for; nothing where the advice draws as many as usual."""
    if "layouts" not in query:
        return ()
    if not 0 < (layouts := _number(query["layouts"], "the number of layouts")) <= MOST_LAYOUTS:
        raise TowerlabError(f"{layouts} layouts cannot be drawn; expected 1 to {MOST_LAYOUTS}")
    return 0, layouts


def _proof(session: Session, seat: int, query: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the prover's answer about a claim or a concession that the page asks about, while it can be made."""
    said = {
        f"{verb} {query['tricks']}" for verb in ("claim", "concede") if query.get("say") == verb and "tricks" in query
    }
    if not said or session.waits_for != seat or session.game.prove is None:
        return []
    claims = (choice.action for choice in session.prompt(seat).choices if choice.is_aside and choice.words[0] in said)
    proofs = (answer_parts(session.game.prove(session.engine.view(seat), claim)) for claim in claims)
    return [part for parts in proofs for part in parts[:-1]]  # without the line that says what was asked


def _plays_forced(request: Request) -> bool:
    return request.cookies.get(FORCED) == "1"


def _review(server: TableServer, request: Request, form: Form) -> Response:
    """The decisions of one seat so far, a look at a time; with ``whole=1``, and as JSON or a file, all that is known.

    The decisions of other seats only once the game is over: before, they would show hidden cards.
    """
    name = request.path_params["name"]
    query = request.query_params
    with server.sessions.hold(name) as session:
        seat = _seat(session, request, query.get("seat", ""))
        engine = session.engine.copy()
        names = session.names(seat)
        judged = session.judged.copy()
        own = session.decided_by(seat)
    game = session.game
    wants_all = query.get("all") == "1"
    if wants_all or query.get("whole") == "1" or query.get("format") in ("json", "file"):
        return _reviewed(request, review_table(game, engine, names, seat, wants_all), name, server.token)
    judged |= judge_some(game, engine, {number: seat for number in own if number not in judged}, GRADING_SECONDS)
    with server.sessions.hold(name) as session:
        if session.engine.actions[: engine.length] == engine.actions:
            session.judged |= judged
    grading = Grading(tuple(decision for number in own for decision in judged.get(number, ())))
    left = sum(number not in judged for number in own)
    here = f"/table/{name}/review?seat={seat + 1}"
    review = review_of(game, engine, names, (seat,), grading)
    return HTMLResponse(
        review_page(review, name=name, token=server.token, here=here, left=left, looked=len(own) - left)
    )


def review_table(
    game: TableGame, engine: Engine[Any, Any], names: Sequence[str], seat: int, wants_all: bool = False
) -> GameReview:
    """Return what one seat may know of a reviewed game: what hangs on hidden cards only once it is over."""
    if engine.result is not None:
        return review_game(game, engine, names, None if wants_all else (seat,))
    review = review_game(game, engine, names, (seat,))
    return dataclasses.replace(review, grading=dataclasses.replace(review.grading, ledger=None, summary=()))


def _reviewed(request: Request, review: GameReview, name: str, token: str, is_record: bool = False) -> Response:
    if request.query_params.get("format") == "json":
        return JSONResponse(review.to_json())
    can_save = review.engine.result is not None or is_record
    if request.query_params.get("format") == "file" and can_save:
        headers = {"Content-Disposition": f'attachment; filename="{review.game}-review.html"'}
        return HTMLResponse(review_page(review, alone=True), headers=headers)
    save = f"?{request.url.include_query_params(format='file').query}" if can_save else ""
    return HTMLResponse(review_page(review, name=name, is_record=is_record, token=token, save=save))


def _seat(session: Session, request: Request, text: str, is_looked_at: bool = True) -> int:
    """Return the seat whose page it is: a person's, where none is named that whose hand lies open, else the first.

    Raises:
        FaceDown: several people share the screen, and this one has not said that it is theirs now.
        TowerlabError: the seat is not a person's.
    """
    humans = session.seating.humans
    shown = request.cookies.get(SHOWN, "")
    known = {str(human + 1): human for human in humans}
    seat = known.get(shown, humans[0] if humans else 0) if text == "" else _number(text, "the seat") - 1
    if text and seat not in humans:
        raise TowerlabError(f"seat {seat + 1} is not a person's; expected {' or '.join(known) or 'none'}")
    if is_looked_at and len(humans) > 1 and not session.is_over and known.get(shown) != seat:
        raise FaceDown(seat)
    return seat


# --------------------------------------------------------------------------------------------------------- training


def _train(server: TableServer, request: Request, form: Form, message: str = "") -> Response:
    game = request.path_params["training"]
    with server.trainings.hold(game) as trainer:
        if not message and request.query_params.get("format") == "json":
            return JSONResponse(pages.training_json(trainer))
        if not message and "series" in request.query_params:
            trainer.begin_series(request.query_params["series"])
        return HTMLResponse(pages.training_page(trainer, game, server.token, message=message))


def _train_answer(server: TableServer, request: Request, form: Form) -> Response:
    game = request.path_params["training"]
    with server.trainings.hold(game) as trainer:
        item = trainer.item
        if _only(form, "length") != f"{item.number}-{trainer.answered}":
            raise StalePageError("That page was old: the decision has been answered. This is the next one.")
        graded = trainer.answer(_chosen(trainer.position(item).prompt(item.seat), form))
        return HTMLResponse(pages.training_page(trainer, game, server.token, graded=graded))


def _train_own(server: TableServer, request: Request, form: Form) -> Response:
    """Have the mistakes of the saved games asked as well."""
    game = request.path_params["training"]
    with server.trainings.hold(game) as trainer:
        message = take_own_games(trainer, server.sessions.folder)
        return HTMLResponse(pages.training_page(trainer, game, server.token, message=message))


def _train_decision(server: TableServer, request: Request, form: Form) -> Response:
    """Have decisions of a table or of a record asked next, each named ``NAME/ACTIONS BEFORE IT``."""
    game = request.path_params["training"]
    kind = "table" if "table" in form else "record"
    places = [place.rpartition("/") for place in form.get(kind, [""])]
    name = places[0][0]
    numbers = [_number(actions, "the number of actions") for _, _, actions in places]
    if kind == "table":
        with server.sessions.hold(name) as session:
            if len(session.seating.humans) > 1 and not session.is_over:
                raise TowerlabError("several people share this table; expected its end before a decision is trained")
            engine = session.engine.copy()
            seat = _seat(session, request, _only(form, "seat"))
    else:
        with server.records.hold(name) as recording:
            engine = recording.layout.engine.copy()
            seat = recording.seat
    with server.trainings.hold(game) as trainer:
        for number in (*numbers, numbers[0]):  # the first is asked next, the others after it
            trainer.ask(engine, seat, number)
    return RedirectResponse(f"/train/{game}", 303)


# ---------------------------------------------------------------------------------------------------------- records


def _record_new(server: TableServer, request: Request, form: Form) -> Response:
    game = _only(form, "game")
    seat = _number(_only(form, "seat") or "1", "the seat") - 1
    path = new_file(server.records.folder, game) if game in GAMES else None
    recording = open_recording(
        game, seat=seat, record=path, resume=None, begin=_only(form, "begin").split(), options=_options(form)
    )
    return RedirectResponse(f"/record/{server.records.add(recording)}", 303)


def _record(server: TableServer, request: Request, form: Form, message: str = "") -> Response:
    name = request.path_params["record"]
    with server.records.hold(name) as recording:
        if not message and request.query_params.get("format") == "json":
            return JSONResponse({"game": recording.game.name, "seat": recording.seat, **vars(recording.ask())})
        return HTMLResponse(pages.record_page(recording, name, server.token, message))


def _record_answer(server: TableServer, request: Request, form: Form) -> Response:
    name = request.path_params["record"]
    with server.records.hold(name) as recording:
        if _number(_only(form, "length"), "the length") != len(recording.entries):
            raise StalePageError("That page was old: the record has gone on. This is how it stands now.")
        if _only(form, "do") == "back":
            recording.take_back()
        else:
            recording.answer(
                _only(form, "line") or _only(form, "choice") or " ".join(form.get("pick", ())), numbered=False
            )
    return RedirectResponse(f"/record/{name}", 303)


def _record_review(server: TableServer, request: Request, form: Form) -> Response:
    name = request.path_params["record"]
    with server.records.hold(name) as recording:
        lines = recording.lines()
        game = recording.game
    return _reviewed(request, review_lines(lines, game), name, server.token, is_record=True)


_PAGES: Final = {"record": _record, "training": _train, "name": _table}
"""The page that is shown with a mistake, by what the address names."""


# ---------------------------------------------------------------------------------------------------------- changes


def _new(server: TableServer, request: Request, form: Form) -> Response:
    game = _only(form, "game")
    against = _only(form, "against")
    seed = _only(form, "seed")
    path = new_file(server.sessions.folder, find_game(game).name)
    drawn = None if seed == "" else _number(seed, "the seed")
    given = _only(form, "seat")
    people = max(_number(_only(form, "people") or "1", "the number of people"), 1 + (against == HUMAN))
    seat = None if given == "" else _number(given, "the seat") - 1
    session = open_session(
        game,
        record=path,
        seed=drawn,
        people=people,
        against=None if against == HUMAN else against,
        own=server.own,
        seat=seat,
        options=_options(form),
        by_hand=_only(form, "by_hand") == "1",
        lesson=_only(form, "lesson") == "1",
    )
    return _to(server.sessions.add(session), session.seating.humans[0])  # that page has the others act


def _options(form: Form) -> list[str]:
    """Return the rule options of a form, ``name=value``; what was left empty is as usual."""
    begins = "option-"
    named = {name.removeprefix(begins): values[0] for name, values in form.items() if name.startswith(begins)}
    return [f"{name}={value}" for name, value in named.items() if value]


def _change(server: TableServer, request: Request, form: Form) -> Response:
    """Do what a person does at a table; then chance and players act."""
    name = request.path_params["name"]
    deed = request.url.path.rpartition("/")[2]
    with server.sessions.hold(name) as session:
        seat = _seat(session, request, _only(form, "seat"), deed != "show")
        other = None
        if deed == "show":
            response = _to(name, seat)
            response.set_cookie(SHOWN, str(seat + 1), path=f"/table/{name}", httponly=True, samesite="strict")
            return response
        if deed in ("act", "back") and _number(_only(form, "length"), "the length") != session.length:
            raise StalePageError("That page was old: the table has gone on. This is how it stands now.")
        plays_forced = _plays_forced(request) and deed != "back"
        asks = ""
        match deed:
            case "act":
                if not (ask := _only(form, "ask")):
                    session.act(seat, _chosen(session.prompt(seat), form))
                if said := ask or _only(form, "say"):  # a claim that is refused is explained
                    asks = "&" + urlencode({"say": said, "tricks": _only(form, "tricks")})
            case "back":
                if not session.take_back(seat):
                    raise TowerlabError("there is nothing to take back")
            case "advance":  # past the end of a hand
                if _only(form, "length") in ("", str(session.length)):
                    session.agree(seat)
                    session.step()
            case "branch" | "again":  # the same cards from the beginning
                given = _number(_only(form, "length") or str(session.length), "the length")
                length = min(given, session.length) if deed == "branch" else 0
                other = session.branch(length, new_file(server.sessions.folder, session.game.name))
            case "forced":
                plays_forced = not plays_forced
        _play_on(other or session, plays_forced)
        response = _to(name if other is None else server.sessions.add(other), seat, asks)
    if deed == "forced":
        response.set_cookie(FORCED, str(int(plays_forced)), httponly=True, samesite="strict", max_age=10**8)
    return response


def _chosen(prompt: Prompt, form: Form) -> Action:
    """Return the action of a form: a number of the list, or cards that were ticked and what was typed with them."""
    picked = form.get("pick", [])
    if prompt.pick is not None and _only(form, "do") == "pick":
        prompt.pick.check(len(picked))
    said = f"{say} {_only(form, 'tricks')}" if (say := _only(form, "say")) else ""
    extras = prompt.pick.extras if prompt.pick else ()
    counts = {letter: _number(_only(form, f"also-{letter}") or "0", "how many") for letter, _, _ in extras}
    also = "".join(letter * min(counts[letter], most) for letter, _, most in extras)
    pyramids = [f"+{also}"] * bool(also)
    choice = _only(form, "choice")
    if not said and choice.isascii() and choice.isdecimal() and 1 <= int(choice[:6]) <= len(prompt.choices):
        return prompt.choices[int(choice[:6]) - 1].action  # a button; as typed words it might mean several actions
    return read_action(said or choice or " ".join([*picked, *pyramids]), prompt)


def _play_on(session: Session, plays_forced: bool) -> None:
    """Chance and players act up to the end of a hand, as long as it is quick: a slow one is shown at work."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and not session.is_between_hands:
        if not session.step():
            action = session.forced_action() if plays_forced else None
            seat = session.waits_for
            if action is None or seat is None:
                return
            session.act(seat, action)


def _to(name: str, seat: int, asks: str = "") -> Response:
    return RedirectResponse(f"/table/{name}?seat={seat + 1}{asks}", 303)
