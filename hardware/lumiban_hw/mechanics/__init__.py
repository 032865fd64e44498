"""The box: light grid, top plate, rim and tray, generated from a profile and measured again."""
