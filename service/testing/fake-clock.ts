import { globSync, renameSync, writeFileSync } from "node:fs";

const [LIBFAKETIME] = globSync("/usr/lib/*/faketime/libfaketimeMT.so.1");

/** The wall clock of other processes. Their monotonic clock stays, for timers. */
export type FakeClock = {
  /** The variables of a process that uses this clock. */
  environment: Record<string, string>;
  /** Lets the clock run this many seconds ahead of real time. */
  setAhead: (seconds: number) => void;
  /** Stops the clock at a time, to the second. */
  stopAt: (time: Date) => void;
};

/** Creates a clock that shows real time. Several processes can share it. */
export function createClock(file: string): FakeClock {
  const write = (text: string) => {
    // No process must read a partial file.
    writeFileSync(`${file}.new`, `${text}\n`);
    renameSync(`${file}.new`, file);
  };
  write("+0");
  return {
    environment:
      LIBFAKETIME === undefined
        ? {}
        : {
            LD_PRELOAD: LIBFAKETIME,
            FAKETIME_TIMESTAMP_FILE: file,
            FAKETIME_NO_CACHE: "1",
            FAKETIME_DONT_FAKE_MONOTONIC: "1",
            TZ: "UTC",
          },
    setAhead: (seconds) => write(`${seconds < 0 ? "" : "+"}${seconds}`),
    stopAt: (time) => write(time.toISOString().slice(0, 19).replace("T", " ")),
  };
}
