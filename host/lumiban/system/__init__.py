"""This machine: files and their bounds, processes, terminal, logs, sockets. It knows no game."""
