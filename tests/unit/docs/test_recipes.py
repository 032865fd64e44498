"""The recipes of docs/recipes.md: each runs, and its picture is what it draws."""

from __future__ import annotations

import pytest
from lumiban_lab.documents import recipes as page
from lumiban_lab.documents import refusal as film

RECIPES = list(page.recipes())


def test_the_page_has_ten_recipes() -> None:
    assert len(RECIPES) == 10
    assert page.PAGE.read_text("utf-8").count("```python") == 10


@pytest.mark.process
@pytest.mark.parametrize("recipe", RECIPES, ids=[recipe.name for recipe in RECIPES])
def test_a_recipe_runs_and_its_picture_is_what_it_draws(recipe: page.Recipe) -> None:
    _, svg = page.run(recipe)
    if recipe.picture is not None:
        assert recipe.picture.read_text("utf-8") == svg, "run ./run docs"
    else:
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


def test_the_film_of_a_refusal_is_what_the_program_draws() -> None:
    assert film.FILM.read_text("utf-8") == film.draw(), "run ./run docs"
