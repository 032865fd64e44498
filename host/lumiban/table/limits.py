"""Times and limits that people at a table meet: a name, its value in the unit of its end, and why.

docs/guide/times.md is written from here.
"""

GRACE_US = 400_000
"""How long a stone that was just set may still slide on to its cell."""
CONFIRM_US = 2_000_000
"""Against a computer, how long a stone stays lifted before it counts as taken. Put back sooner, it
was only looked beneath."""
STAND_US = 3_000_000
"""Without turns, how long a computer that need not place waits for a stone before it stands."""
PACE_US = 600_000
"""How long each step of a chain is shown, unless the page says otherwise."""
FASTEST_US = 333_334
"""The least time for a step of a chain: light may flash three times a second at most."""
SLOWEST_US = 10_000_000
"""The most time for a step of a chain: after longer, people take it for the end."""
BEAT_US = 1_000_000
"""The time from the last side's word to the first of the three beats that end a time out, and
between beats. Play goes on with the last one."""
SHINES_US = 300_000
"""How long the board shines at each beat."""
END_STEP_US = 1_200_000
"""How long each step that explains the end of a game is lit: less than one change a second."""
LIFT_SETTLES_US = 1_000_000
"""After this long without a sign of it a hand is gone. What comes next is another reach."""
PICTURE_STILL_US = 6_000_000
"""After this long without a change the table must be waiting for somebody, or it is restarted."""
HANDS_US = 3_000_000
"""How long simulated hands may take to begin before they are asked again."""
MACHINE_TIMEOUT_US = 24_000_000
"""How long the table waits for a computer's move, and twice as long each further time: a busy
machine may need longer than this to start one."""
HUNG_SAID_US = 60_000_000
"""How long a table that was restarted asks for a report."""
CLEARED_S = 4.0
"""After a game, how long a board stays cleared before it asks what is next."""
ABANDONED_S = 10.0
"""The same during a game, which can be resumed: a hand may have lifted stones to look."""
LESSON_LEFT_S = 60.0
"""The same in a lesson, or before the first stone: people are reading."""
OVER_S = 20.0
"""How long the end of a game in light, which has no stones to clear away, stays visible."""
UNBEGUN_S = 120.0
"""How long a chosen game may wait for its first move before it is forgotten."""
DESERTED_S = 600.0
"""How long a game whose stones are all in light waits for a hand before it is left. It can be
resumed."""
MIN_STAY_S = 0.5
"""The least time a piece must stand on a choice to choose it. For less it only passed by."""
TOGETHER_S = 0.4
"""Two pieces that come this close together are two hands: neither chooses."""
FORGOTTEN_S = 30.0
"""After this long a piece on a choice was left there: lifted, it chooses nothing."""
OFF_S = 3.0
"""How long the light is out before the machine turns off. Any touch stops it."""
