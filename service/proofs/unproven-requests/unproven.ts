import { signedRequest, type Wish } from "#testing/holder-client.ts";
import { evmWallet, solanaWallet, type TestWallet } from "#testing/wallets.ts";

/** The public URL of the server of this proof. */
export const PUBLIC_URL = "https://v1.example";

const OF_EACH_KIND = 100;
const HOUR_MS = 3_600_000;

type Body = { message: string; signature: string };

/**
 * Ways to ask without proof. Everyone can get messages with a valid nonce. The first kinds fail
 * before the signature is checked, the next two when it is checked. The last two are signed by a
 * wallet that no record lists, and reach the database.
 */
const KINDS: Record<string, (wish: Wish, wallet: TestWallet, other: TestWallet) => Body> = {
  "no message": () => ({ message: "hide me", signature: "0x00" }),
  "an invented nonce": (wish, wallet) => {
    const { message, signature } = signedRequest(wallet, wish, PUBLIC_URL);
    return { message: message.replace(/Nonce: ..../, "Nonce: 0000"), signature };
  },
  "captured an hour ago": (wish, wallet) => signedRequest(wallet, wish, PUBLIC_URL, new Date(Date.now() - HOUR_MS)),
  "for another server": (wish, wallet) => signedRequest(wallet, wish, "https://v2.example"),
  "signed by another wallet": (wish, wallet, other) =>
    signedRequest({ address: wallet.address, sign: other.sign }, wish, PUBLIC_URL),
  "signed for another passport": (wish, wallet) => {
    const { message } = signedRequest(wallet, wish, PUBLIC_URL);
    return { message, signature: signedRequest(wallet, { ...wish, passportId: wish.passportId + 1 }).signature };
  },
  "a wallet that no record lists": (wish, wallet) => signedRequest(wallet, wish, PUBLIC_URL),
  "a wallet that no record lists, as a form": (wish, wallet) => signedRequest(wallet, wish, PUBLIC_URL),
};

/** Complete HTTP requests, all kinds in turn, for passports of all people. */
export function unprovenRequests(people: number): string[] {
  const pairs: [TestWallet, TestWallet][] = [
    [evmWallet("attacker"), evmWallet("another attacker")],
    [solanaWallet("attacker"), solanaWallet("another attacker")],
  ];
  return Array.from({ length: OF_EACH_KIND }).flatMap((_, round) =>
    Object.entries(KINDS).map(([kind, create], index) => {
      const wish: Wish = { action: "hide", passportId: 1 + ((round * 31 + index) % people) };
      const [wallet, other] = pairs[round % pairs.length] as (typeof pairs)[number];
      return requestOf(create(wish, wallet, other), kind.endsWith("as a form"));
    }),
  );
}

export function requestOf(body: Body, isForm: boolean): string {
  const text = isForm ? new URLSearchParams(body).toString() : JSON.stringify(body);
  const type = isForm ? "application/x-www-form-urlencoded" : "application/json";
  const headers = `Host: 127.0.0.1\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n`;
  return `POST /holder/requests HTTP/1.1\r\n${headers}\r\n${text}`;
}
