/** The exit codes of the program. Scripts may rely on them. */
export const EXIT = { done: 0, failed: 1, usage: 2, attention: 3, refused: 4, interrupted: 130 } as const;

export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: "done",
  failed: "failed; the message states the cause and what to do",
  usage: "wrong usage or invalid configuration",
  attention: "finished, with findings that need attention",
  refused: "refused: the source is invalid, or the folder not empty; nothing written",
  interrupted: "stopped by Ctrl-C",
};

export const EXIT_CODES_HELP = `
Exit codes:
${Object.entries(EXIT_MEANINGS)
  .map(([name, meaning]) => `  ${EXIT[name as keyof typeof EXIT]}  ${meaning}`)
  .join("\n")}`;
