"""The firmware as one short module, in four passes.

`constants` inlines numbers and drops what nobody uses, `scopes` knows which name belongs where,
`names` makes short ones, and `link` puts the modules together.
"""
