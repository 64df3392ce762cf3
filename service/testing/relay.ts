import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { whenDone } from "./when-done.ts";

export type Relay = {
  /** Replaces the host and port of a database URL by those of the relay. */
  through: (url: string) => string;
  /** `cut` closes all connections and refuses new ones. `silence` forwards nothing. */
  set: (state: "pass" | "cut" | "silence") => void;
  /** Leads new connections to another server, and closes the others. */
  lead: (target: string) => void;
  /** Forwards nothing more on the open connections that have sent LISTEN. */
  silenceListeners: () => void;
};

/** Starts a TCP relay that can simulate network failures. */
export async function relayTo(target: string): Promise<Relay> {
  let { hostname, port } = new URL(target);
  let state: "pass" | "cut" | "silence" = "pass";
  const sockets = new Set<Socket>();
  const pairs = new Set<{ isListening: boolean; isSilent: boolean }>();
  const relay = createServer((near) => {
    if (state === "cut") return void near.destroy();
    const far = connect(Number(port || 5432), hostname);
    const pair = { isListening: false, isSilent: false };
    pairs.add(pair);
    near.on("data", (bytes) => {
      pair.isListening ||= bytes.includes("listen ");
    });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("data", (bytes) => state === "pass" && !pair.isSilent && to.write(bytes));
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        pairs.delete(pair);
        to.destroy();
      });
    }
  });
  relay.listen(0, "127.0.0.1");
  await once(relay, "listening");
  const relayPort = (relay.address() as { port: number }).port;
  whenDone(() => {
    for (const socket of sockets) socket.destroy();
    relay.close();
  });
  const closeAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    lead: (next) => {
      ({ hostname, port } = new URL(next));
      closeAll();
    },
    through: (url) => {
      const through = new URL(url);
      through.hostname = "127.0.0.1";
      through.port = String(relayPort);
      return through.href;
    },
    silenceListeners: () => {
      for (const pair of pairs) pair.isSilent ||= pair.isListening;
    },
    set: (next) => {
      state = next;
      if (state === "cut") closeAll();
    },
  };
}
