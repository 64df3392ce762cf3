/** The exit codes of the program. Scripts may rely on them. */
export const EXIT = { done: 0, failed: 1, usage: 2, attention: 3, refused: 4, interrupted: 130 } as const;

export const EXIT_CODES_HELP = `
Exit codes:
  0  done
  1  failed; the message states the cause and what to do
  2  wrong usage or invalid configuration
  3  finished, and found problems (import, collect, work, verify, doctor)
  4  refused: the source is invalid, or the folder not empty; nothing written
  130  stopped by Ctrl-C`;
