"""The firmware in a real MicroPython VM (WebAssembly under Node), in the simulated world."""
