import { type DestinationStream, type Logger, pino } from "pino";
import type { LogLevel } from "#core/config/config.ts";
import { isDenied, isUnavailable } from "#core/database/failures.ts";
import { escapeUnprintable } from "#core/terminal/unprintable.ts";

/** File descriptors. `process.stdout.fd` would open a stream, which makes a pipe non-blocking. */
export const STDOUT = 1;
export const STDERR = 2;

/** Logs JSON lines. Fields are chosen one by one: no request is logged as a whole. */
export function createLog(level: LogLevel, stream: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: loggable },
    },
    { write: (line) => void stream.write(escapeUnprintable(line)) },
  );
}

/**
 * The logged fields of an error. Other fields may contain the request, and with it an API key. An
 * outage or a missing right is no fault of the program, so its stack trace helps nobody.
 */
function loggable(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  const { name, message, stack } = error;
  return {
    type: name,
    code: "code" in error ? error.code : undefined,
    message,
    ...(!isUnavailable(error) && !isDenied(error) && { stack }),
  };
}
