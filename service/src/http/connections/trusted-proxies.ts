import { BlockList, isIPv6 } from "node:net";

/** Returns a check whether an address is in one of the networks (CIDR). */
export function createTrustCheck(networks: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", prefix] = network.split("/");
    list.addSubnet(address, Number(prefix), isIPv6(address) ? "ipv6" : "ipv4");
  }
  return (address) => address !== undefined && list.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}
