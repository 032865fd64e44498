"""Evening: a turnless group game on hex cells and its family, by Takuro Kawasaki."""
