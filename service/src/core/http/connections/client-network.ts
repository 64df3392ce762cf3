import { BlockList, isIPv4, isIPv6 } from "node:net";

/** Returns a check whether an address is in one of the networks (CIDR). */
export function createTrustCheck(networks: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", prefix] = network.split("/");
    list.addSubnet(address, Number(prefix), isIPv6(address) ? "ipv6" : "ipv4");
  }
  return (address) => address !== undefined && list.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}

/**
 * What counts as one client without a key: an IPv4 address, or the /64 network of an IPv6 address,
 * which a single customer has. Some proxies add a port. Anything else that a proxy forwards is one
 * client together, because its texts could be of any number and length.
 */
export function clientNetwork(address: string): string {
  if (isIPv4(address)) return address;
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "").replace(/^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/, "$1$2");
  if (isIPv4(plain)) return plain;
  return isIPv6(plain) ? networkOf64(plain) : "unknown";
}

function networkOf64(address: string): string {
  const [head = "", tail] = address.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  return [...left, ...Array<string>(zeros).fill("0"), ...right]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
