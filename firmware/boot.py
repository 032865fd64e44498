"""Before main.py: nothing yet. Updates with a way back come with the hardware backend."""
