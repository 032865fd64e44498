"""What people may ask of a table by page, button or terminal (docs/page.md lists it).

Whatever cannot be done is Declined with a text and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from lumiban import games
from lumiban.errors import BoardError, GameError
from lumiban.games.base import IllegalMove, Move, Refusal
from lumiban.games.registry import is_file, try_start
from lumiban.scene.themes import THEMES
from lumiban.table import coach, guidance, seats, turnless_commands
from lumiban.table.accepting import accept
from lumiban.table.course import BY_PAGE, Course
from lumiban.table.declined import Declined
from lumiban.table.fitting import fit
from lumiban.table.sight import UP
from lumiban.table.types import Agree, Choose, Command

if TYPE_CHECKING:
    from lumiban.table.session import Session

TAKE_BACK = "takeback"
"""What `choose` says when the pieces were put back, not played."""


def follow(session: Session, command: Command) -> Mapping[str, Any] | None:
    """Do what a command asks; where that cannot be done the sentence that says why, as the page's
    `error` has it, else None."""
    try:
        do = _COMMANDS.get(command.do)
        if do is None:
            raise Declined("table.strange-command", do=str(command.do)[:40])
        do(session, command.args)
    except Declined as declined:
        return {"id": declined.id, "params": dict(declined.params)}
    return None


def _side(session: Session, args: Mapping[str, Any]) -> int:
    side = args.get("side")
    sides = session.match.course.game.sides
    if not isinstance(side, int) or isinstance(side, bool) or not 0 <= side < len(sides):
        raise Declined("table.no-such-side", side=str(side)[:40])
    return side


def _word(args: Mapping[str, Any], name: str) -> str:
    value = args.get(name)
    if not isinstance(value, str) or not value or len(value) > 64:
        raise Declined("table.missing", name=name)
    return value


def _in_play(session: Session) -> None:
    """The game runs and a board was seen: only then can it change."""
    if session.match.outcome is not None:
        raise Declined("table.game-over")
    if session.sight.boot_id is None:
        raise Declined("table.no-board")
    if session.match.naming.suspends:
        raise Declined("table.rules-rest")


def _by_person(session: Session, side: int) -> None:
    if session.match.course.seats[side] != seats.HUMAN:
        raise Declined("table.not-a-person", side=session.match.course.game.sides[side])


def _seat(session: Session, args: Mapping[str, Any]) -> None:
    side, who = _side(session, args), _word(args, "who")
    _check_seat(session, who)
    course = session.match.course
    if course.seats[side] == who:
        return
    if session.bots.question is not None and session.bots.question.side == side:
        session.stop_bot()
    session.bots.forgive()
    session.match.sit(side, who)
    session.match.consider(session.board_now())


def _check_seat(session: Session, who: object) -> None:
    levels = session.settings.levels
    if not seats.is_seat(who, levels):
        known = ", ".join((seats.HUMAN, *(seats.BOT + level for level in levels)))
        raise Declined("table.no-such-seat", who=str(who)[:40], known=known)


def _say(session: Session, args: Mapping[str, Any]) -> None:
    side, word = _side(session, args), _word(args, "word")
    _in_play(session)
    _by_person(session, side)
    course = session.match.course
    if word not in course.game.words(course.position, side):
        raise Declined("table.no-such-word", word=word)
    move = _parse(session, word, side)
    _tell(session, move)


def _tell(session: Session, move: Move) -> None:
    """A person told this legal move or word; one that changes cells is guided onto the board."""
    if session.match.free:
        _unless(turnless_commands.tell(session, move))
        return
    match = session.match
    if match.in_light or (move.is_word and not match.changed_by(move)):
        if _other_bots_play_on(session, move):
            raise Declined("table.bot-plays-on")
        _play_word(session, move)
        return
    session.match.tell(move)
    session.match.consider(session.board_now())


def _unless(reason: str | None) -> None:
    if reason is not None:
        raise Declined(reason)


def _other_bots_play_on(session: Session, move: Move) -> bool:
    """Whether this offers a bot to stop, which it does not do unless it wins by it."""
    course = session.match.course
    game = course.game
    after = game.play(course.position, move)
    if game.outcome(after) is not None or move.side not in game.offers(after):
        return False
    others = [side for side, who in enumerate(course.seats) if who != seats.HUMAN]
    for side in others:
        answer = game.parse(after, move.text, side)
        if game.why_not(after, side, answer) is not None:
            return True
        after = game.play(after, answer)
        outcome = game.outcome(after)
        if outcome is not None:
            return outcome.winner != side
    return False


def _play_word(session: Session, move: Move) -> None:
    session.match.play(move, session.board_now(), BY_PAGE)
    course = session.match.course
    game = course.game
    if move.side in game.offers(course.position):
        for side, who in enumerate(course.seats):
            if who != seats.HUMAN and session.match.outcome is None:
                answer = game.parse(course.position, move.text, side)
                session.match.play(answer, session.board_now(), BY_PAGE)
    session.match.consider(session.board_now())


def _parse(session: Session, notation: str, side: int) -> Move:
    course = session.match.course
    try:
        move = course.game.parse(course.position, notation, side)
    except IllegalMove as error:
        if error.refusal is not None:
            raise _refused(error.refusal) from error
        raise Declined("table.no-such-move", move=notation) from error
    refusal = course.game.why_not(course.position, side, move)
    if refusal is not None:
        raise _refused(refusal)
    return move


def _refused(refusal: Refusal) -> Declined:
    return Declined(refusal.text_id, **dict(refusal.params))


def _move(session: Session, args: Mapping[str, Any]) -> None:
    side, notation = _side(session, args), _word(args, "text")
    _in_play(session)
    _by_person(session, side)
    course = session.match.course
    if side not in session.match.movers:
        raise Declined("table.not-your-turn", side=course.game.sides[side])
    _tell(session, _parse(session, notation, side))


def _take_back(session: Session, args: Mapping[str, Any]) -> None:
    _in_play(session)
    if not session.settings.takeback or session.match.free:
        raise Declined("table.no-takebacks")
    count = session.match.can_take_back()
    if not count:
        raise Declined("table.nothing-to-take-back")
    session.match.take_back(count, BY_PAGE)
    session.match.consider(session.board_now())


def _confirm(session: Session, args: Mapping[str, Any]) -> None:
    _in_play(session)
    if session.match.free:
        side = None if args.get("side") is None else _side(session, args)
        _unless(turnless_commands.confirm(session, side))
    elif not session.match.confirm(session.board_now()):
        raise Declined("table.nothing-to-confirm")


def _new(session: Session, args: Mapping[str, Any]) -> None:
    old = session.match.course
    slug = args.get("game", old.game.slug)
    options = args.get("options")
    if options is None:
        options = dict(old.game.options) if slug == old.game.slug else {}
    sitting = args.get("seats") or old.seats
    if not isinstance(slug, str) or not isinstance(options, Mapping):
        raise Declined("table.missing", name="game")
    if is_file(slug) and slug != session.own:
        # A page may be anybody's: it starts no program that this table was not laid for.
        raise Declined("table.own-not-by-page", file=slug)
    try:
        game = games.load(slug, **{str(name): value for name, value in options.items()})
        fit(game, session.profile)
        game = game.laid_on(session.profile.grid)
        try_start(game)
    except (GameError, BoardError) as error:
        raise Declined("table.no-such-game", reason=str(error)) from error
    if not isinstance(sitting, list | tuple) or len(sitting) != len(game.sides):
        raise Declined("table.seats-count", count=len(game.sides))
    for who in sitting:
        _check_seat(session, who)
    session.start(
        Course(
            game,
            sitting,
            seed=session.seed + session.games + 1,
            profile=session.profile.name,
            board=old.board,
        )
    )


def _hint(session: Session, args: Mapping[str, Any]) -> None:
    level = _word(args, "level")
    if level not in guidance.HINTS:
        raise Declined("table.no-such-hint", level=level, known=", ".join(guidance.HINTS))
    session.hint = level


def _theme(session: Session, args: Mapping[str, Any]) -> None:
    name = _word(args, "name")
    if name not in THEMES:
        raise Declined("table.no-such-theme", name=name, known=", ".join(THEMES))
    session.theme = name


def _choose(session: Session, args: Mapping[str, Any]) -> None:
    wish = _word(args, "text")
    _in_play(session)
    if session.match.free:
        _unless(turnless_commands.choose(session, wish))
        return
    verdict = session.match.verdict
    if not isinstance(verdict, Choose):
        raise Declined("table.nothing-to-choose")
    if wish == TAKE_BACK and verdict.back:
        session.match.take_back(verdict.back, BY_PAGE)
    else:
        found = [move for move in verdict.candidates if move.text == wish]
        if not found:
            raise Declined("table.no-such-move", move=wish)
        session.match.play(found[0], session.board_now(), BY_PAGE)
    session.match.consider(session.board_now())


def _recentre(session: Session, args: Mapping[str, Any]) -> None:
    match = session.match
    if args.get("back"):
        if match.naming.slide is None or match.naming.slide.back:
            raise Declined("table.nothing-slides")
        match.naming.begin_slide(back=True)
    else:
        _in_play(session)
        _settled(session)
        if not match.naming.begin_slide():
            raise Declined("table.in-the-middle")
    match.consider(session.board_now())


def _settled(session: Session) -> None:
    """Nothing is open: no move on its way, no doubt about names, no repetition to claim."""
    match = session.match
    game, position = match.course.game, match.course.position
    claims = any("claim" in game.words(position, side) for side in match.movers)
    if not isinstance(match.verdict, Agree) or match.waiting is not None or claims:
        raise Declined("table.not-settled")


def _audit(session: Session, args: Mapping[str, Any]) -> None:
    match = session.match
    if match.naming.audit is None:
        if args.get("skip") or args.get("end"):
            raise Declined("table.no-audit")
        _in_play(session)
        _settled(session)
        if not match.naming.begin_audit():
            raise Declined("table.no-names")
    elif args.get("end"):
        match.naming.end_audit()
    elif args.get("skip"):
        match.naming.audit.skip()
    match.consider(session.board_now())


def _accept_board(session: Session, args: Mapping[str, Any]) -> None:
    _in_play(session)
    if session.sight.link != UP:
        raise Declined("table.no-board")
    accept(session, args)


def _pace(session: Session, args: Mapping[str, Any]) -> None:
    _unless(session.match.show_at(args.get("ms")))


_COMMANDS: dict[str, Callable[[Session, Mapping[str, Any]], None]] = {
    "seat": _seat,
    "word": _say,
    "takeback": _take_back,
    "confirm": _confirm,
    "new": _new,
    "hint": _hint,
    "coach": coach.asked,
    "theme": _theme,
    "move": _move,
    "choose": _choose,
    "accept-board": _accept_board,
    "recentre": _recentre,
    "audit": _audit,
    "pace": _pace,
    "reaction": lambda session, args: _unless(turnless_commands.react(session, args.get("ms"))),
}
