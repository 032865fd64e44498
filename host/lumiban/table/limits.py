"""Times and limits that people at a table meet: a name, its value in the unit of its end, and why.

docs/guide/times.md is written from here.
"""

GRACE_US = 400_000
"""The stone set last may still be moved on for so long: a hand slides it to its cell."""
CONFIRM_US = 2_000_000
"""Against a computer a stone that was lifted counts as taken after so long; put back before, it was
only looked beneath."""
STAND_US = 3_000_000
"""In a game without turns a computer that need not place stands once no stone has come for so
long."""
PACE_US = 600_000
"""Each step of a chain is shown for so long, unless the page says otherwise."""
FASTEST_US = 333_334
"""A step of a chain is shown for at least so long: three flashes a second are the most that light
may do."""
SLOWEST_US = 10_000_000
"""A step of a chain is shown for at most so long: whoever waits longer takes it for the end."""
BEAT_US = 1_000_000
"""From the last side's word to the first of three beats that end a time out, and from beat to
beat; with the last one play goes on."""
SHINES_US = 300_000
"""The board shines for so long at each beat."""
END_STEP_US = 1_200_000
"""Each step that explains the end of a game is lit for so long: less than one change a second."""
LIFT_SETTLES_US = 1_000_000
"""A hand of which the board has seen nothing for so long is gone: what comes next is another
reach."""
PICTURE_STILL_US = 6_000_000
"""A table on which nothing changes for so long must wait for somebody, or is begun anew."""
HANDS_US = 3_000_000
"""Simulated hands that have not begun after so long are asked again."""
MACHINE_TIMEOUT_US = 24_000_000
"""A computer's move is waited for so long, and twice as long each further time: a busy machine may
need longer than this to start one."""
HUNG_SAID_US = 60_000_000
"""A table that was begun anew asks for a report for so long."""
CLEARED_S = 4.0
"""A board that was cleared after a game for so long asks what is next."""
ABANDONED_S = 10.0
"""The same in the midst of a game, which can be resumed: a hand may have lifted stones to look."""
LESSON_LEFT_S = 60.0
"""The same in a lesson, or before the first stone: it is being read about."""
OVER_S = 20.0
"""The end of a game in light, which has no stones to clear away, is to be seen for so long."""
UNBEGUN_S = 120.0
"""A game that was chosen and is not begun for at least so long is forgotten."""
DESERTED_S = 600.0
"""A game whose stones are all in light, so that nobody can clear its board, is left after so long
without a hand; it can be resumed."""
MIN_STAY_S = 0.5
"""A piece that stood on a choice for less has only passed by: it chooses nothing."""
TOGETHER_S = 0.4
"""Two pieces that come so close after each other are two hands: neither chooses."""
FORGOTTEN_S = 30.0
"""A piece that stands on a choice for longer was left there: lifted, it chooses nothing."""
OFF_S = 3.0
"""The light goes out for so long before the machine does; any touch stops it."""
