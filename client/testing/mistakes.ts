// Type tests: mistakes of public integrations that must not compile. `npm run types` fails if one
// of them does. docs/CLIENT.md shows them with the messages of the compiler.
import { type Client, type FailureCode, V1Error } from "../src/client.ts";

export async function crashOnNullNames(client: Client): Promise<string[]> {
  const passport = await client.findPassport(1);
  if (passport === null) return [];
  return [
    // @ts-expect-error: the name may be null.
    passport.passport_profile.display_name.slice(0, 2),
    // @ts-expect-error: the wallet may be null.
    passport.main_wallet.toLowerCase(),
    // @ts-expect-error: there may be no profile, and its picture may be null.
    passport.passport_socials[0].profile_image_url.toString(),
    // @ts-expect-error: the score may be null.
    passport.score.toFixed(1),
    // @ts-expect-error: the date may be null.
    passport.last_calculated_at.slice(0, 10),
  ];
}

export async function addUpStrings(client: Client): Promise<number[]> {
  const socials = (await client.findPassport(1))?.passport_socials ?? [];
  let sum = 0;
  for (const social of socials) {
    // @ts-expect-error: the count is a string.
    sum += social.follower_count ?? 0;
    // @ts-expect-error: the count is a string.
    sum = sum + (social.follower_count || 0);
    // @ts-expect-error: the number may be null.
    sum += social.followers;
    // Right: a number, or nothing.
    sum += social.followers ?? 0;
  }
  // @ts-expect-error: the count is a string.
  const total: number = socials.reduce((all, social) => all + (social.follower_count || 0), 0);
  // @ts-expect-error: the count is a string.
  const most = Math.max(...socials.map((social) => social.follower_count));
  return [sum, total, most];
}

export async function treatNoPassportAsOutage(client: Client): Promise<string> {
  try {
    const passport = await client.findPassport("0x0000000000000000000000000000000000000001");
    // @ts-expect-error: there may be no passport.
    return `${passport.score}`;
  } catch (error) {
    if (!(error instanceof V1Error)) throw error;
    // @ts-expect-error: a person without a passport is no failure.
    if (error.code === "not_found") return "out of service";
    return advise(error.code);
  }
}

/** All codes of failures are known: if one is forgotten, `code` is not `never`. */
function advise(code: FailureCode): string {
  switch (code) {
    case "rate_limited":
    case "unavailable":
    case "network":
    case "timeout":
      return "later";
    case "brownout":
    case "gone":
      return "move";
    case "unauthorized":
      return "key";
    case "unknown_path":
    case "unknown_filter":
    case "bad_request":
    case "method_not_allowed":
    case "uri_too_long":
    case "headers_too_large":
    case "internal":
    case "unexpected_response":
      return "report";
    default:
      return code satisfies never;
  }
}

export function forgetCode(code: "gone" | "brownout"): string {
  switch (code) {
    case "gone":
      return "move";
    default:
      // @ts-expect-error: brownout is missing.
      return code satisfies never;
  }
}
