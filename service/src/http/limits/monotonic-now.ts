/** The difference between the clock of the system and that of this process. */
const OFFSET_MS = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** Milliseconds on a clock that never jumps and is the same in all processes of a machine. */
export const monotonicNow = (): number => performance.now() + OFFSET_MS;
