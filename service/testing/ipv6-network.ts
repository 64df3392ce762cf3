import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";

/** Networks of clients, in a network namespace, and the address of this machine for them. */
export type Ipv6Network = {
  serverAddress: string;
  /**
   * Runs a program of Node in the namespace. It can use every address of `prefixes`. Returns what it
   * printed.
   */
  run: (program: string, args: readonly string[]) => Promise<string>;
  remove: () => void;
};

/** Makes two /64 networks of clients. Needs the rights of root. */
export function createIpv6Network(prefixes: readonly string[]): Ipv6Network {
  const id = process.pid % 10_000;
  const [namespace, here, there] = [`credence-${id}`, `cr${id}a`, `cr${id}b`];
  const [serverAddress, gateway] = [`fd00:c0de:${id}::1`, `fd00:c0de:${id}::2`];
  const ip = (...args: string[]) => execFileSync("ip", args);
  ip("netns", "add", namespace);
  ip("link", "add", here, "type", "veth", "peer", "name", there, "netns", namespace);
  ip("address", "add", `${serverAddress}/64`, "dev", here, "nodad");
  ip("link", "set", here, "up");
  ip("-n", namespace, "address", "add", `${gateway}/64`, "dev", there, "nodad");
  for (const device of ["lo", there]) ip("-n", namespace, "link", "set", device, "up");
  // Programs of the namespace may use every address of these networks.
  const allow = "echo 1 > /proc/sys/net/ipv6/ip_nonlocal_bind";
  ip("netns", "exec", namespace, "sh", "-c", allow);
  for (const prefix of prefixes) {
    ip("-n", namespace, "-6", "route", "add", "local", prefix, "dev", "lo");
    ip("-6", "route", "replace", prefix, "via", gateway, "dev", here);
  }
  return {
    serverAddress,
    run: async (program, args) => {
      const command = ["netns", "exec", namespace, process.execPath, "--eval", program, ...args];
      const child = spawn("ip", command, { stdio: ["ignore", "pipe", "inherit"] });
      let output = "";
      child.stdout.on("data", (chunk) => (output += chunk));
      const [code] = await once(child, "close");
      if (code !== 0) throw new Error(`The client ended with ${code}: ${output}`);
      return output;
    },
    remove: () => void ip("netns", "delete", namespace),
  };
}
