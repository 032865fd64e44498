"""Field model of a board: tables, forces, thresholds with their margins."""
