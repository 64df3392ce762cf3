/** The pattern of an output as documents print it: … stands for omitted text. */
export const patternOf = (printed: string, omitted = ".*?"): string =>
  printed
    .split("…")
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
    .join(omitted);
