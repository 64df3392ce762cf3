import { type Finding, problem } from "#core/terminal/check.ts";

const MAX_QUOTED_LENGTH = 120;

/** Text of a response, for a finding. */
export const quote = (text: string): string =>
  JSON.stringify(text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text);

/** A request that failed: what happened, and what to do. */
export function requestFailed(error: unknown): Finding {
  // A connection to a name with several addresses fails with one error per address.
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  const { code = "", name, message } = cause as NodeJS.ErrnoException;
  if (name === "TimeoutError" || name === "AbortError" || code === "ETIMEDOUT") {
    return problem(
      "no complete response in time",
      "Check that the firewall lets clients connect, and that the proxy forwards to HOST and PORT of Credence.",
    );
  }
  const [, advice] = ADVICE.find(([pattern]) => pattern.test(code)) ?? [];
  return problem(message, advice ?? "Check that the proxy responds with HTTP at this address, and see its log.");
}

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/^(ENOTFOUND|EAI_AGAIN)$/, "The host has no address. Check its spelling and its DNS records."],
  [/^ECONNREFUSED$/, "Nothing listens at this address. Start the proxy, or correct the port."],
  [/^(EHOSTUNREACH|ENETUNREACH)$/, "No route to this address. Check the DNS records and the network."],
  [
    /^(EPROTO|ERR_SSL_)/,
    "The TLS handshake failed. Check that the port is the https port of the proxy, that it has a certificate for this name, and that TLS 1.2 or 1.3 is enabled.",
  ],
  [/^HPE_/, "The response is not valid HTTP. Check that the port is that of the proxy: an https port needs https://."],
];
