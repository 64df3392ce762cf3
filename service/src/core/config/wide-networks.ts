import { isLoopback } from "./config-values.ts";

/** The largest networks in which every machine can be expected to be a proxy: those of one site. */
const WIDEST = { ipv4: 16, ipv6: 48 };

/** Networks with machines that are no proxies, and that could then choose the address that counts as theirs. */
export const findWideNetworks = (networks: readonly string[]): string[] =>
  networks.filter((network) => {
    const [address = "", prefix] = network.split("/");
    const widest = address.includes(":") ? WIDEST.ipv6 : WIDEST.ipv4;
    return Number(prefix) < widest && !(isLoopback(address) && Number(prefix) >= 8);
  });

export const describeWide = (networks: readonly string[]): string =>
  `TRUSTED_PROXIES has ${networks.join(", ")}: every machine in it can choose the address by which its requests are limited`;
