"""Rengi: a battle of falling blocks by turns, on two fields of six columns."""

from lumiban.games.rengi.game import Rengi
from lumiban.games.rengi.kernel import RengiState

__all__ = ["Rengi", "RengiState"]
