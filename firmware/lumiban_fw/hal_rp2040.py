"""The RP2040's registers by name: the one table of addresses. Another chip has one of its own.

A block begins at its page of 4 KiB, and bits written to the page `SET_PAGES` further are set in the
register there. Pages and offsets are small numbers, which cost nothing where they are used: whole
addresses would be objects on the heap. Names are those of the chip's data sheet. Viper code takes
them through int(): outside of the bundle, which writes the numbers in, it sees objects.
"""

CHIP = "RP2040"
"""As MicroPython tells it, at the end of the board's name."""

ADC_PAGE, PIO0_PAGE, DMA_PAGE = 0x4004C, 0x50200, 0x50000
SIO_PAGE, USB_PAGE, WATCHDOG_PAGE = 0xD0000, 0x50100, 0x40058
SET_PAGES = 2

ADC_CS, ADC_FCS, ADC_FIFO, ADC_DIV = 0x00, 0x08, 0x0C, 0x10
PIO_CTRL, PIO_FDEBUG = 0x00, 0x08
DMA_CHANNEL, DMA_CTRL, DMA_SET_WRITE, DMA_SET_READ = 0x40, 0x10, 0x2C, 0x3C
"""Bytes of a channel's registers; its control, off; and what set an address and start it."""
DMA_ABORT = 0x444
GPIO_IN = 0x04
GPIO_OUT_SET, GPIO_OUT_CLEAR, GPIO_OE_SET, GPIO_OE_CLEAR = 0x14, 0x18, 0x24, 0x28
EP2_IN_BUFFER = 0x90
"""In the memory of the USB block: bit 10 says that the packet waits for the host."""
SCRATCH0 = 0x0C
ADC_REQUEST, PIO0_REQUEST, PIO1_REQUEST = 36, 0, 8
"""Requests that pace a DMA channel."""
