import { signedRequest } from "#testing/holders.ts";
import { evmWallet, solanaWallet, type TestWallet } from "#testing/wallets.ts";

/** The public URL of the server of this proof. */
export const PUBLIC_URL = "https://v1.example";

const OF_EACH_KIND = 100;
const HOUR_MS = 3_600_000;

type Body = { message: string; signature: string };

const hideWith = (wallet: TestWallet, publicUrl = PUBLIC_URL, ageMs = 0): Body =>
  signedRequest(wallet, "hide", { publicUrl, now: new Date(Date.now() - ageMs) });

/**
 * Ways to ask without proof. Everyone can get messages with a valid nonce. The first kinds fail
 * before the signature is checked, the next two when it is checked. The last two are signed by a
 * wallet that no record lists, and reach the database.
 */
const KINDS: Record<string, (wallet: TestWallet, other: TestWallet) => Body> = {
  "no message": () => ({ message: "hide me", signature: "0x00" }),
  "an invented nonce": (wallet) => {
    const { message, signature } = hideWith(wallet);
    return { message: message.replace(/Nonce: ..../, "Nonce: 0000"), signature };
  },
  "captured an hour ago": (wallet) => hideWith(wallet, PUBLIC_URL, HOUR_MS),
  "for another server": (wallet) => hideWith(wallet, "https://v2.example"),
  "signed by another wallet": ({ address }, { sign }) => hideWith({ address, sign }),
  "signed for another text": (wallet) => ({ ...hideWith(wallet), signature: hideWith(wallet).signature }),
  "a wallet that no record lists": (wallet) => hideWith(wallet),
  "a wallet that no record lists, as a form": (wallet) => hideWith(wallet),
};

/** Complete HTTP requests, all kinds in turn. */
export function unprovenRequests(): string[] {
  const pairs: [TestWallet, TestWallet][] = [
    [evmWallet("attacker"), evmWallet("another attacker")],
    [solanaWallet("attacker"), solanaWallet("another attacker")],
  ];
  return Array.from({ length: OF_EACH_KIND }).flatMap((_, round) =>
    Object.entries(KINDS).map(([kind, create]) =>
      requestOf(create(...(pairs[round % pairs.length] as (typeof pairs)[number])), kind.endsWith("as a form")),
    ),
  );
}

export function requestOf(body: Body, isForm: boolean): string {
  const text = isForm ? new URLSearchParams(body).toString() : JSON.stringify(body);
  const type = isForm ? "application/x-www-form-urlencoded" : "application/json";
  const headers = `Host: 127.0.0.1\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n`;
  return `POST /holder/requests HTTP/1.1\r\n${headers}\r\n${text}`;
}
