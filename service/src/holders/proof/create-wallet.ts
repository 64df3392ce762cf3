import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";

/** An EVM wallet. `sign` signs as `personal_sign` of a wallet does. */
export type Wallet = { address: string; sign: (text: string) => string };

/** The wallet of `credence demo`, and the passport that it holds. Its key is in the memory of that process only. */
export type DemoWallet = Wallet & { passportId: number };

/** A wallet with this key, by default a random one that nothing but the wallet knows. */
export function createWallet(key: Uint8Array = secp256k1.utils.randomSecretKey()): Wallet {
  const publicKey = secp256k1.getPublicKey(key, false);
  const address = `0x${Buffer.from(keccak_256(publicKey.subarray(1)).subarray(12)).toString("hex")}`;
  return { address, sign: (text) => sign(key, text) };
}

function sign(key: Uint8Array, text: string): string {
  const bytes = Buffer.from(text);
  const hash = keccak_256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes]));
  const [recovery = 0, ...scalars] = secp256k1.sign(hash, key, { prehash: false, format: "recovered" });
  return `0x${Buffer.from([...scalars, 27 + recovery]).toString("hex")}`;
}
