import { BlockList, isIPv6 } from "node:net";

/** Tells whether an address lies in one of the given networks (CIDR). */
export function createTrustCheck(networks: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", prefix] = network.split("/");
    list.addSubnet(address, Number(prefix), isIPv6(address) ? "ipv6" : "ipv4");
  }
  return (address) => address !== undefined && list.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}
