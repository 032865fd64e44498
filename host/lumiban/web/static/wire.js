// Numbers of the wire (firmware/lumiban_fw/wire.py) that the page's scripts use; `./run lint`
// compares them.

export const WHITE = 1;
export const BLACK = 2;
export const NEUTRAL = 3;
export const UNKNOWN = 4;
export const STACKED = 5;
export const FOREIGN = 6;
export const MASKED = 7;

export const STEADY = 0;
export const BLINK = 1;
export const FAST_BLINK = 2;
export const BREATHE = 3;
export const PULSE = 4;
export const PULSE_B = 5;
export const PROOF = 6;
export const CHASE = 7;
