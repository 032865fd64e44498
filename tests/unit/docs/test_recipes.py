"""The recipes of docs/recipes.md: each runs and draws a picture."""

from __future__ import annotations

import pytest
from lumiban_lab.documents import recipes as page

RECIPES = list(page.recipes())


@pytest.mark.process
@pytest.mark.parametrize("recipe", RECIPES, ids=[recipe.name for recipe in RECIPES])
def test_a_recipe_runs_and_draws_a_picture(recipe: page.Recipe) -> None:
    _, svg = page.run(recipe)
    assert svg.startswith("<svg ")


@pytest.mark.process
def test_what_recipes_print_is_what_they_promise() -> None:
    told = {recipe.name: page.run(recipe)[0] for recipe in RECIPES}
    assert told["A sensor"] == "{'d2': 'black', 'c3': 'white'}\n"
    assert "3. white b1   white 2 : 1 black" in told["A score board"]
    assert told["A recorder"].count("\r\n") == 5
    assert "moves," in told["A record"]
    assert told["A game of your own"].splitlines()[0].startswith("1. white c3")
    assert told["A hardware test"] == "19 cells sense, 0 of them slowly\n"
