"""Page of a table: its process, its sockets, its messages."""
