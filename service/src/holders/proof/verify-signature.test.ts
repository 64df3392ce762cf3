import { base58 } from "@scure/base";
import { describe, expect, test } from "vitest";
import { evmWallet, solanaWallet } from "#testing/wallets.ts";
import { checksummed, kindOfAddress } from "./address.ts";
import { canonicalSignature } from "./signature-form.ts";
import { verifySignature } from "./verify-signature.ts";

describe("verifySignature", () => {
  // From the documentation of web3.js, so that not only our code agrees with itself.
  const address = "0x2c7536e3605d9c16a7a3d7b1898e529396a65c23";
  const signature =
    "0xb91467e570a6466aa9e9876cbcd013baba02900b8979d43fe208a4a4f339f5fd6007e74cd82e037b800186422fc2da167c747ef045e5d18a5f5d4300f8e1a0291c";

  test("accepts a signature of another implementation", () => {
    expect(verifySignature("Some data", signature, address)).toBe(true);
    expect(verifySignature("Some Data", signature, address)).toBe(false);
  });

  test("accepts the vector of RFC 8032", () => {
    const key = Buffer.from("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "hex");
    const signed =
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00";
    const solana = base58.encode(key);
    expect(verifySignature("r", canonicalSignature(signed), solana)).toBe(true);
    expect(verifySignature("s", canonicalSignature(signed), solana)).toBe(false);
  });

  test.each([
    ["zero", `0x${"0".repeat(128)}1b`],
    [
      "the order of the curve",
      `0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141${"0".repeat(63)}11b`,
    ],
    ["empty", ""],
    ["text", "signature"],
  ])("does not throw for %s", (_name, invalid) => {
    expect(verifySignature("Some data", invalid, address)).toBe(false);
    expect(verifySignature("Some data", invalid, solanaWallet("a").address)).toBe(false);
  });

  test("nobody can sign for keys of small order", () => {
    // R is the base point times s, and the public key the identity: valid for every text.
    const identity = base58.encode(Buffer.from(`01${"00".repeat(31)}`, "hex"));
    const forged = base58.encode(
      Buffer.from(`5866666666666666666666666666666666666666666666666666666666666666${"01".padEnd(64, "0")}`, "hex"),
    );
    expect(verifySignature("any text", forged, identity)).toBe(false);
    expect(kindOfAddress("11111111111111111111111111111111")).toBeNull();
  });

  test("a bitcoin address cannot be proved", () => {
    expect(kindOfAddress("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa")).toBeNull();
  });
});

describe("canonicalSignature", () => {
  const text = "a text";
  const evm = evmWallet("a");
  const solana = solanaWallet("a");
  const bytes = Buffer.from(base58.decode(solana.sign(text)));

  test.each([
    ["upper case", evm, evm.sign(text).toUpperCase()],
    ["space around it", evm, `\n ${evm.sign(text)}\r\n`],
    ["a recovery id of a hardware wallet", evm, evm.sign(text).replace(/1b$/, "00").replace(/1c$/, "01")],
    ["base64", solana, bytes.toString("base64")],
    ["hex", solana, bytes.toString("hex")],
    ["base58", solana, ` ${solana.sign(text)} `],
  ])("%s", (_name, wallet, printed) => {
    expect(canonicalSignature(printed)).toBe(wallet.sign(text));
    expect(verifySignature(text, canonicalSignature(printed), wallet.address)).toBe(true);
  });
});

test.each([
  // From ERC-55.
  "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
  "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
  "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
  "0x52908400098527886E0F7030069857D2E4169EE7",
])("checksummed %s", (address) => {
  expect(checksummed(address.toLowerCase())).toBe(address);
});
