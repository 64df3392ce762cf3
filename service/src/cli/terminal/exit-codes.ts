/** What the program's exit code says. Scripts may rely on it. */
export const EXIT = { done: 0, failed: 1, usage: 2, attention: 3, refused: 4, interrupted: 130 } as const;

export const EXIT_CODES_HELP = `
Exit codes:
  0  done
  1  failed; the message says why and what to do
  2  wrong usage, or the configuration is wrong
  3  finished, and found something that wants attention (import, work, verify, doctor)
  4  refused: what was given is not what it says, and nothing was written
  130  stopped by Ctrl-C`;
