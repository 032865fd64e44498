"""Requests that people make of a table by page, button or terminal (docs/page.md lists them).

Whatever cannot be done is refused (CommandRefused) with a text and changes nothing. Among it: to
take the board as it is, so that what lies there becomes the position; in free play a stone in
light, a word, ready, or play with turns; and to look back at earlier positions of the game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from lumiban import games
from lumiban.errors import BoardError, GameError, UsageError
from lumiban.games.base import (
    HINT_LEVELS,
    Game,
    IllegalMove,
    ImpossiblePosition,
    Kind,
    Move,
    Refusal,
)
from lumiban.games.builtin_lessons import lesson_of
from lumiban.games.registry import try_start
from lumiban.scene.themes import THEMES
from lumiban.table import free_play, types
from lumiban.table.board_view import UP
from lumiban.table.clocks import RULES, control_for, control_unasked
from lumiban.table.course import continued, course_of, loaded, playable
from lumiban.table.fitting import on_board
from lumiban.table.free_play import FreePlay
from lumiban.table.history import BY_PAGE, is_floating
from lumiban.table.lesson_play import LessonPlay
from lumiban.table.light_play import LightPlay
from lumiban.table.limits import FASTEST_US, SLOWEST_US
from lumiban.table.referee import BLIND
from lumiban.table.requests import (
    TABLE_REQUESTS,
    TAKE_BACK,
    AcceptBoardRequest,
    AnswerBackRequest,
    AuditRequest,
    ChoiceRequest,
    CoachRequest,
    ConfirmRequest,
    DeadCellRequest,
    ErrorText,
    GameCourse,
    HintRequest,
    LessonRequest,
    LobbyRequest,
    MoveRequest,
    NewGameRequest,
    PaceRequest,
    PutBackRequest,
    ReactionRequest,
    RecentreRequest,
    ReviewRequest,
    RulesRequest,
    SeatRequest,
    SetUpRequest,
    TableRequest,
    TakebackRequest,
    ThemeRequest,
    UnknownRequest,
    WordRequest,
    fields_of,
    side_of,
)
from lumiban.table.state import Table
from lumiban.table.turn_play import TurnPlay
from lumiban.table.types import Agree, Choose, Command, CommandRefused
from lumiban.table.view_fields import Text

TURNS = "turns"
"""The choice to play with turns on a board that cannot tell who was first."""

_HANDLERS: dict[type, Callable[[Table, Any], None]] = {}
_Handler = TypeVar("_Handler", bound=Callable[..., None])


def _follows(handler: _Handler) -> _Handler:
    """Let this function follow the kind of request that it takes."""
    _HANDLERS[get_type_hints(handler)["request"]] = handler
    return handler


def follow(table: Table, command: Command) -> ErrorText | None:
    """Do what a command asks, and judge the board as it is then.

    Where that cannot be done the sentence that says why, as the page's `error` has it, else None.
    """
    try:
        _HANDLERS[type(command.request)](table, command.request)
        if table.fault is None:
            table.match.consider(table.board_now())
    except CommandRefused as declined:
        return {"id": declined.id, "params": dict(declined.params)}
    return None


def _side(table: Table, side: int) -> int:
    if not 0 <= side < len(table.game.sides):
        raise CommandRefused("table.no-such-side", side=str(side))
    return side


def _in_play(table: Table) -> None:
    """The game runs and a board was seen: only then can it change."""
    if table.outcome is not None:
        raise CommandRefused("table.game-over")
    if table.board.boot_id is None:
        raise CommandRefused("table.no-board")
    naming = table.match.naming
    if naming.slide is not None or naming.audit is not None:
        raise CommandRefused("table.rules-rest")


def _by_person(table: Table, side: int) -> None:
    if table.history.seats[side] != types.HUMAN:
        raise CommandRefused("table.not-a-person", side=table.game.sides[side])


def _not_in_lesson(table: Table) -> None:
    """Raise CommandRefused in a lesson, which sets its own players and pieces."""
    if table.lesson is not None:
        raise CommandRefused("table.in-lesson")


@_follows
def _seat(table: Table, request: SeatRequest) -> None:
    _not_in_lesson(table)
    side, who = _side(table, request.side), request.who
    _check_seat(table, who)
    if table.history.seats[side] == who:
        return
    if table.bots.question is not None and table.bots.question.side == side:
        table.stop_bot()
    table.bots.forgive()
    table.match.sit(side, who)


def _check_seat(table: Table, who: object) -> None:
    levels = table.settings.levels
    if not types.is_seat(who, levels):
        known = ", ".join((types.HUMAN, *(types.BOT + level for level in levels)))
        raise CommandRefused("table.no-such-seat", who=str(who)[:40], known=known)


def _check_seats(table: Table, seats: Sequence[str], game: Game) -> None:
    if len(seats) != len(game.sides):
        raise CommandRefused("table.seats-count", count=len(game.sides))
    for who in seats:
        _check_seat(table, who)


@_follows
def _say(table: Table, request: WordRequest) -> None:
    side, word = _side(table, request.side), request.word
    _in_play(table)
    _by_person(table, side)
    if word not in table.game.words(table.match.position, side):
        raise CommandRefused("table.no-such-word", word=word)
    move = _parse(table, word, side)
    _tell(table, move)


def _tell(table: Table, move: Move) -> None:
    """A person told this legal move or word; one that changes cells is guided onto the board."""
    match = table.match
    if isinstance(match, FreePlay) and match.is_free:
        _tell_free(table, match, move)
        return
    if match.is_in_light or (move.is_word and not match.changed_by(move)):
        if _other_bots_play_on(table, move):
            raise CommandRefused("table.bot-plays-on")
        _play_word(table, move)
        return
    table.match.tell(move)


def _tell_free(table: Table, match: FreePlay, move: Move) -> None:
    """It counts in its order among the stones of hands, and a stone is set in light."""
    if table.connection != UP:
        raise CommandRefused("table.board-lost")
    if not match.is_ordered:
        raise CommandRefused("table.too-slow")
    if match.time_out is not None and not move.is_word:
        raise CommandRefused("refusal.table.time-out")
    match.tell_at(move, table.board_now(), BY_PAGE)


def _other_bots_play_on(table: Table, move: Move) -> bool:
    """True if this move offers a bot to stop and no bot accepts: a bot accepts only if it wins by
    it."""
    game = table.game
    after = game.play(table.match.position, move)
    if game.outcome(after) is not None or move.side not in game.offers(after):
        return False
    others = [side for side, who in enumerate(table.history.seats) if who != types.HUMAN]
    for side in others:
        answer = game.parse(after, move.text, side)
        if game.why_not(after, side, answer) is not None:
            return True
        after = game.play(after, answer)
        outcome = game.outcome(after)
        if outcome is not None:
            return outcome.winner != side
    return False


def _play_word(table: Table, move: Move) -> None:
    table.match.play(move, table.board_now(), BY_PAGE)
    game = table.game
    if move.side in game.offers(table.match.position):
        for side, who in enumerate(table.history.seats):
            if who != types.HUMAN and table.outcome is None:
                answer = game.parse(table.match.position, move.text, side)
                table.match.play(answer, table.board_now(), BY_PAGE)


def _parse(table: Table, notation: str, side: int) -> Move:
    try:
        move = table.game.parse(table.match.position, notation, side)
    except IllegalMove as error:
        if error.refusal is not None:
            raise _refused(error.refusal) from error
        raise CommandRefused("table.no-such-move", move=notation) from error
    refusal = table.game.why_not(table.match.position, side, move)
    if refusal is not None:
        raise _refused(refusal)
    return move


def _refused(refusal: Refusal) -> CommandRefused:
    return CommandRefused(refusal.text_id, **dict(refusal.params))


@_follows
def _move(table: Table, request: MoveRequest) -> None:
    side, notation = _side(table, request.side), request.text
    _in_play(table)
    _by_person(table, side)
    if side not in table.match.movers:
        raise CommandRefused("table.not-your-turn", side=table.game.sides[side])
    _tell(table, _parse(table, notation, side))


@_follows
def _take_back(table: Table, request: TakebackRequest) -> None:
    _in_play(table)
    if not table.settings.takeback or table.match.is_free:
        raise CommandRefused("table.no-takebacks")
    count = table.match.can_take_back()
    if not count:
        raise CommandRefused("table.nothing-to-take-back")
    people = table.history.people
    if request.side is not None and _side(table, request.side) in people and len(people) > 1:
        table.match.ask_back(request.side)
        return
    table.match.take_back(count, BY_PAGE)


@_follows
def _answer_back(table: Table, request: AnswerBackRequest) -> None:
    asked = table.match.back_asked
    if asked is None or asked.declined or asked.side == _side(table, request.side):
        raise CommandRefused("table.nobody-asks-back")
    if request.yes:
        _take_back(table, TakebackRequest())
    else:
        table.match.decline_back()


@_follows
def _confirm(table: Table, request: ConfirmRequest) -> None:
    _in_play(table)
    match = table.match
    if isinstance(match, FreePlay) and match.is_free and not match.paused:
        side = None if request.side is None else _side(table, request.side)
        _confirm_free(table, match, side)
    elif not match.confirm(table.board_now()):
        raise CommandRefused("table.nothing-to-confirm")


def _confirm_free(table: Table, match: FreePlay, side: int | None) -> None:
    """A side is ready after a time out, or else says what its button says. Where one person
    plays, the side need not be told."""
    people = match.history.people
    if side is None and len(people) == 1:
        side = people[0]
    if side is None or side not in people:
        raise CommandRefused("table.which-side")
    if match.time_out is not None:
        if not match.confirm_side(side, table.board_now()):
            raise CommandRefused("table.mend-first")
        return
    word = match.game.button_word(match.position, side)
    if word is None:
        raise CommandRefused("table.nothing-to-confirm")
    _tell_free(table, match, match.game.parse(match.position, word, side))


@_follows
def _new(table: Table, request: NewGameRequest) -> None:
    if request.after is not None:
        _continue(table, request, request.after)
        return
    old = table.history.left or table.history
    slug = request.game or old.game.slug
    options: Mapping[str, Any] = request.options
    if not options and slug == old.game.slug:
        options = old.game.options
    sitting = request.seats or old.seats
    game = _fitted(table, slug, options)
    _check_seats(table, sitting, game)
    try:
        control = (
            control_unasked(game, old.game, old.control)
            if request.clock is None
            else control_for(game, request.clock)
        )
    except UsageError as error:
        raise CommandRefused("table.no-such-clock", reason=str(error)) from error
    lesson = table.lesson
    _start(table, game, sitting, control=control)
    _end_lesson(table, lesson)


def _start(table: Table, game: Game, seats: Sequence[str], **other: Any) -> None:
    """Play another game here, on the table's next seed."""
    table.start(table.history.another(game, seats, seed=_next_seed(table), **other))


def _next_seed(table: Table) -> int:
    return table.seed + table.games + 1


def _continue(table: Table, request: NewGameRequest, count: int) -> None:
    """Another game from the position after `count` moves of the one that ended, or of a course."""
    course = request.course or _ended(table)
    game = loaded(course)
    sides = len(game.sides)
    old = table.history.left or table.history
    sitting = request.seats or (old.seats if len(old.seats) == sides else [types.HUMAN] * sides)
    _check_seats(table, sitting, game)
    lesson = table.lesson
    table.start(
        continued(
            game,
            course,
            count,
            sitting,
            profile=table.profile,
            old=old,
            now_us=table.board_now(),
        )
    )
    _end_lesson(table, lesson)


def _ended(table: Table) -> GameCourse:
    """The course of the table's game, which must be over; CommandRefused."""
    if table.outcome is None or table.lesson is not None:
        raise CommandRefused("table.not-over")
    return course_of(table.history)


@_follows
def _review(table: Table, request: ReviewRequest) -> None:
    if table.outcome is None and table.history.played:
        raise CommandRefused("table.review-in-play")
    course = request.course or _ended(table)
    table.review.begin(request.name, course, loaded(course))


@_follows
def _rules(table: Table, request: RulesRequest) -> None:
    """Play on by the rules that the file of the table's own game has now; by the old ones where it
    has none, and in a game that is over or of another name."""
    if not table.own:
        raise CommandRefused("table.no-own-rules")
    old, name = table.history, Path(table.own).name
    if old.game.slug != table.own or (table.fault is None and table.outcome is not None):
        return
    try:
        game = games.load(table.own, **old.game.options)
        if game.digest == old.game.digest:
            table.rules = None  # what was wrong was taken out again
            return
        game = on_board(game, table.profile)
        try_start(game)
        old.stop_clock(table.board_now())
        history = old.by_rules(game)
        if history is not None:
            try_start(game, history.position)
    except (GameError, BoardError) as error:
        reason = str(error).replace(table.own, name)
        table.rules = Text("table.rules-broken", {"reason": reason})
        return
    fits = history is not None
    if history is None:
        history = old.another(game, old.first_seats, seed=_next_seed(table))
    table.start(history)
    table.rules = Text("table.rules-new" if fits else "table.rules-unfit", {"file": name})


@_follows
def _lesson(table: Table, request: LessonRequest) -> None:
    lesson = table.lesson
    if request.go == "begin":
        name = request.game or table.history.lesson or table.game.slug
        _begin_lesson(table, name, request.step - 1)
    elif lesson is None:
        raise CommandRefused("table.no-lesson-now")
    elif request.go == "leave":
        _leave_lesson(table)
    elif request.go == "play":
        _first_game(table)
    else:
        number = lesson.number + {"next": 1, "back": -1, "again": 0}[request.go]
        if not 0 <= number < len(lesson.lesson.steps):
            raise CommandRefused("table.no-lesson-step")
        lesson.begin(number, table.board_now())
        table.hint = lesson.step.hint


def go_on(table: Table) -> None:
    """A button says: the next step, or after the last one a first game."""
    assert table.lesson is not None
    _lesson(table, LessonRequest("play" if table.lesson.is_last else "next"))


def _begin_lesson(table: Table, name: str, number: int) -> None:
    try:
        lesson = lesson_of(name)
    except GameError:
        raise CommandRefused("table.no-lesson", game=name) from None
    if number >= len(lesson.steps):
        raise CommandRefused("table.no-lesson-step")
    hint = table.hint if table.lesson is None else table.lesson.hint_before
    old = table.history
    left = old.left if old.lesson else old
    if left is old:
        left.stop_clock(table.board_now())
    game = _fitted(table, lesson.slug, lesson.options)
    people = [types.HUMAN] * len(game.sides)
    _start(table, game, people, control=None, lesson=name, left=left)
    assert table.lesson is not None
    if number:
        table.lesson.begin(number, table.board_now())
    table.lesson.hint_before = hint
    table.hint = table.lesson.step.hint


def _fitted(table: Table, slug: str, options: Mapping[str, Any]) -> Game:
    """The game as this board plays it; CommandRefused."""
    with playable(slug):
        game = on_board(games.load(slug, **options), table.profile)
        try_start(game)
    return game


def _leave_lesson(table: Table) -> None:
    """Back to the game that was left; to another one like it where that had ended."""
    lesson, history = table.lesson, table.history
    left = history.left
    if left is None or left.outcome is not None:
        like = left or history
        left = like.another(like.game, seed=_next_seed(table), board=history.board)
    table.start(left)
    _end_lesson(table, lesson)


def _first_game(table: Table) -> None:
    """A game against the gentlest machine, as large as this board and the game's usual."""
    lesson, history = table.lesson, table.history
    try:
        game = _fitted(table, history.game.slug, {})
    except CommandRefused:
        game = history.game
    seats = types.HUMAN, types.BOT + table.settings.levels[0]
    _start(table, game, seats, control=control_for(game, RULES))
    _end_lesson(table, lesson)


def _end_lesson(table: Table, lesson: LessonPlay | None) -> None:
    """The light tells as much again as it did before the lesson."""
    if lesson is not None:
        table.hint = lesson.hint_before


@_follows
def _hint(table: Table, request: HintRequest) -> None:
    level = request.level
    if level not in HINT_LEVELS:
        raise CommandRefused("table.no-such-hint", level=level, known=", ".join(HINT_LEVELS))
    table.hint = level


@_follows
def _theme(table: Table, request: ThemeRequest) -> None:
    name = request.name
    if name not in THEMES:
        raise CommandRefused("table.no-such-theme", name=name, known=", ".join(THEMES))
    table.theme = name


@_follows
def _choose(table: Table, request: ChoiceRequest) -> None:
    wish = request.text
    _in_play(table)
    if table.match.is_free:
        _play_with_turns(table, wish)
        return
    verdict = table.match.verdict
    if not isinstance(verdict, Choose):
        raise CommandRefused("table.nothing-to-choose")
    if wish == TAKE_BACK and verdict.back:
        table.match.take_back(verdict.back, BY_PAGE)
    else:
        chosen = [move for move in verdict.candidates if move.text == wish]
        if not chosen:
            raise CommandRefused("table.no-such-move", move=wish)
        table.match.play(chosen[0], table.board_now(), BY_PAGE)
        table.match.ask_for_pieces_up()


def _play_with_turns(table: Table, wish: str) -> None:
    """Go on with turns, from the stones that stand."""
    match, old = table.match, table.history
    game = match.game.with_turns()
    if match.is_ordered or wish != TURNS or game is None:
        raise CommandRefused("table.nothing-to-choose")
    kinds = old.game.pieces(old.position)
    stones = {old.game.grid.name(cell): kind - 1 for cell, kind in enumerate(kinds) if kind}
    table.start(old.another(game))
    if stones:
        table.match.set_up(stones, game.movers(game.setup(stones))[0])


@_follows
def _put_back(table: Table, request: PutBackRequest) -> None:
    _in_play(table)
    if not table.settings.hands:
        raise CommandRefused("table.no-simulated-hands")
    table.match.put_back(table.board_now())
    if not table.match.is_putting_back:
        raise CommandRefused("table.nothing-to-put-back")


@_follows
def _recentre(table: Table, request: RecentreRequest) -> None:
    match = table.match
    if request.back:
        if match.naming.slide is None or match.naming.slide.is_back:
            raise CommandRefused("table.nothing-slides")
        match.naming.begin_slide(is_back=True)
    else:
        _in_play(table)
        _settled(table)
        if not match.naming.begin_slide():
            raise CommandRefused("table.in-the-middle")


def _settled(table: Table) -> None:
    """Nothing is open: no move on its way, no doubt about names, no repetition to claim."""
    match = table.match
    game, position = match.game, match.position
    claims = any("claim" in game.words(position, side) for side in match.movers)
    if not isinstance(match.verdict, Agree) or match.waiting is not None or claims:
        raise CommandRefused("table.not-settled")


@_follows
def _audit(table: Table, request: AuditRequest) -> None:
    match = table.match
    if match.naming.audit is None:
        if request.skip or request.end:
            raise CommandRefused("table.no-audit")
        _in_play(table)
        _settled(table)
        if not match.naming.begin_audit():
            raise CommandRefused("table.no-names")
    elif request.end:
        match.naming.end_audit()
    elif request.skip:
        match.naming.audit.skip()


@_follows
def _accept_board(table: Table, request: AcceptBoardRequest) -> None:
    _not_in_lesson(table)
    _in_play(table)
    if table.connection != UP:
        raise CommandRefused("table.no-board")
    accept(table, request.names)


@_follows
def _dead_cell(table: Table, request: DeadCellRequest) -> None:
    board, match, cell = table.board, table.match, request.cell
    if isinstance(cell, str):
        if cell not in match.game.grid.names:
            raise CommandRefused("table.no-such-cell", cell=cell)
        cell = match.placing.board[match.game.grid.cell(cell)]
    board.dead |= {cell}
    board.blind |= {cell}


@_follows
def _set_up(table: Table, request: SetUpRequest) -> None:
    _not_in_lesson(table)
    _in_play(table)
    side = _side(table, request.to_move)
    try:
        table.match.set_up(dict(request.pieces), side)
    except GameError as error:
        raise CommandRefused("table.set-up-impossible", **_why_impossible(error)) from error


@_follows
def _coach(table: Table, request: CoachRequest) -> None:
    table.coach.wish(request.agree, table.match, table.connection)


@_follows
def _pace(table: Table, request: PaceRequest) -> None:
    if not isinstance(table.match, LightPlay):
        raise CommandRefused("table.no-pace")
    pace_us = _us_within(request.ms, FASTEST_US, SLOWEST_US, "table.no-such-pace")
    table.match.pace_us = pace_us
    table.match.scenes.clear()


def _us_within(ms: int | None, least_us: int, most_us: int, refusal: str) -> int | None:
    """Return these ms as µs; CommandRefused where they are outside these bounds."""
    if ms is not None and not least_us <= 1000 * ms <= most_us:
        raise CommandRefused(refusal)
    return None if ms is None else 1000 * ms


@_follows
def _reaction(table: Table, request: ReactionRequest) -> None:
    least_us, most_us = free_play.MIN_REACTION_US, free_play.MAX_REACTION_US
    reaction_us = _us_within(request.ms, least_us, most_us, "table.no-such-reaction")
    table.settings = table.match.settings = replace(table.settings, reaction_us=reaction_us)


@_follows
def _lobby(table: Table, request: LobbyRequest) -> None:
    # Where there is a lobby it answers before the table is asked.
    raise CommandRefused("lobby.error.none")


@_follows
def _decline(table: Table, request: UnknownRequest) -> None:
    if request.wrong == "do":
        raise CommandRefused("table.strange-command", do=request.name[:40])
    raise CommandRefused("table.missing", name=request.wrong)


assert set(_HANDLERS) == {*TABLE_REQUESTS, UnknownRequest}, "a request that nothing follows"


def objection_in(
    match: TurnPlay, request: TableRequest | UnknownRequest, role: str
) -> ErrorText | None:
    """Return why this seat may not make such a request in this game, as it stands now; None for
    a role without a seat.

    Whether a role may make it at all was asked at the door (`requests.objection`).
    """
    side = side_of(role)
    if side is None:
        return None
    mine = True
    if isinstance(request, ConfirmRequest):
        mine = _may_confirm(match, request, side)
    elif isinstance(request, TakebackRequest):
        mine = _all_by(match, match.history.moves[-(match.can_take_back() or 1) :], side)
    elif isinstance(request, ChoiceRequest):
        mine = _may_choose(match, request, side)
    do = fields_of(request)[0]
    return None if mine else {"id": "table.role.other-side", "params": {"do": do}}


def _may_confirm(match: TurnPlay, request: ConfirmRequest, side: int) -> bool:
    """A person's move is confirmed by that person; a machine's by anybody at the board."""
    if match.is_free:
        return request.side == side
    pending = match.waiting or match.lift
    if pending is None:
        return side in match.movers
    return pending.move.side == side or not _is_person(match, pending.move.side)


def _may_choose(match: TurnPlay, request: ChoiceRequest, side: int) -> bool:
    verdict = match.verdict
    if match.is_free or not isinstance(verdict, Choose):
        return False
    if request.text == TAKE_BACK:
        return bool(verdict.back) and _all_by(match, match.history.moves[-verdict.back :], side)
    return all(move.side == side for move in verdict.candidates)


def _all_by(match: TurnPlay, moves: Iterable[Move], side: int) -> bool:
    """True if this side alone, of all people, made these moves."""
    return all(move.side == side or not _is_person(match, move.side) for move in moves)


def _is_person(match: TurnPlay, side: int) -> bool:
    return match.history.seats[side] == types.HUMAN


def accept(table: Table, names: Mapping[str, str]) -> None:
    """Let what lies on the board be the position, where a game in play can have it; CommandRefused.

    `names` tells the pieces that have names, by cell, where they lie elsewhere than the table has
    them.
    """
    game, seen, known = table.game, table.match.shown, table.game.labels(table.match.position)
    if seen == table.match.should:
        raise CommandRefused("table.board-agrees")
    stones: dict[str, Any] = {}
    if known:
        stones.update(_named(table, seen, names))
        seen = (Kind.EMPTY,) * len(seen)
    for cell, kind in enumerate(seen):
        if kind in (Kind.WHITE, Kind.BLACK, Kind.NEUTRAL):
            stones[game.grid.name(cell)] = kind - 1
        elif kind != Kind.EMPTY:
            raise CommandRefused("table.board-strange", cell=game.grid.name(cell))
    movers = table.match.movers
    reasons: list[dict[str, str | int]] = []
    for to_move in sorted(range(len(game.sides)), key=lambda side: side not in movers):
        try:
            game.setup(stones, to_move=to_move)
            if known:
                _fits_colours(table, stones, to_move)
        except GameError as error:
            reasons.append(_why_impossible(error))
            continue
        table.match.set_up(stones, to_move)
        return
    raise CommandRefused("table.board-impossible", **reasons[0])


def _why_impossible(error: GameError) -> dict[str, str | int]:
    """The parameters of a refusal that names its reason: in the reader's language where the game
    has a sentence for it."""
    if isinstance(error, ImpossiblePosition):
        return {"reason": error.id, **error.params}
    return {"reason": str(error)}


def _named(table: Table, seen: Sequence[int], given: Mapping[str, str]) -> dict[str, str]:
    """The names of the pieces that lie there: told with the wish, or as the table has them."""
    game = table.game
    should, names = table.match.should, game.labels(table.match.position)
    stones, unnamed = {}, []
    for cell, kind in enumerate(seen):
        if kind == Kind.EMPTY or (is_floating(game) and not game.on_field(cell)):
            continue
        where = game.grid.name(cell)
        name = given.get(where) or (names[cell] if kind == should[cell] else "")
        if name:
            stones[where] = name
        else:
            unnamed.append(where)
    if unnamed:
        raise CommandRefused("table.board-unnamed", cells=", ".join(unnamed))
    return stones


def _fits_colours(table: Table, stones: Mapping[str, Any], to_move: int) -> None:
    """GameError when a name told is one of another colour than the piece that lies there."""
    game = table.game
    pieces = game.pieces(game.setup(stones, to_move=to_move))
    for where, name in stones.items():
        cell = game.grid.cell(where)
        if table.match.sensed.kinds[cell] not in (pieces[cell], *BLIND):
            raise ImpossiblePosition("setup.doves.colour", cell=where, dove=name)
