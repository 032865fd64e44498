"""The page of a table: its process, its sockets, its messages."""
