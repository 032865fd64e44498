"""`lumiban study` and `lumiban games check`, as the entry points `lumiban.commands` name them."""

from __future__ import annotations

from lumiban.invocation import Command

_GAMES = "lumiban.study.game_commands"
_STUDIES = "lumiban.study.study_commands"
_RENGI = "lumiban.study.rengi_commands"

STUDY = Command(
    "",
    "Count, solve, match, balance: many games.",
    {
        "perft": Command(
            f"{_GAMES}:perft_command",
            "Count the positions of a game move by move, to check its rules.",
        ),
        "solve": Command(f"{_GAMES}:solve_command", "Find who wins a small board under best play."),
        "match": Command(
            f"{_GAMES}:match_command",
            "Play a match between two players; print the score with its interval.",
        ),
        "balance": Command(
            f"{_GAMES}:balance_command",
            "Play a game against itself many times: win rates, lengths, choices.",
        ),
        "run": Command(
            f"{_STUDIES}:run_command",
            "Play a study that a file describes: conditions, counters, intervals.",
        ),
        "komi": Command(
            f"{_STUDIES}:komi_command", "Find the value of an option at which a game is even."
        ),
        "report": Command(
            f"{_STUDIES}:report_command",
            "Write what studies found: answers, tables and plots, as a page.",
        ),
        "puzzles": Command(
            f"{_GAMES}:puzzles_command", "Find positions of Tokyo Doves with one winning action."
        ),
        "chain": Command(
            f"{_RENGI}:chain_command", "Run the chain of a Rengi field, step by step."
        ),
        "calculator": Command(
            f"{_RENGI}:calculator_command",
            "Count points and ojama of a Rengi chain from its groups.",
        ),
        "ojama": Command(f"{_RENGI}:ojama_command", "Convert Rengi points into ojama."),
    },
)
CHECK = Command(
    "lumiban.study.check_commands:check_command",
    "Check that a game keeps the laws the table relies on.",
)
