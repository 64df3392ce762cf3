import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { startServing } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { SERVE_ROLE, urlOf } from "#testing/server.ts";
import { whenDone } from "#testing/when-done.ts";

/** No bytes, a part of the headers, and a part of a body. */
const INCOMPLETE = ["", "GET /api/v1/passp", "POST /holder/requests HTTP/1.1\r\nContent-Length: 9\r\n\r\na"];

test("connections without a complete request do not prevent a stop", async () => {
  const { name } = await testDatabase();
  const environment = { DATABASE_URL: urlOf(name, SERVE_ROLE), DRAIN_DELAY: "0s" };
  const { address, process: server, ended } = await startServing(environment);
  for (const bytes of INCOMPLETE) {
    const socket = connect(Number(new URL(address).port), "127.0.0.1").on("error", () => {});
    whenDone(() => void socket.destroy());
    await once(socket, "connect");
    socket.write(bytes);
  }
  // Connections that are being handed to a process when it stops.
  for (let count = 0; count < 50; count += 1) {
    const socket = connect(Number(new URL(address).port), "127.0.0.1").on("error", () => {});
    whenDone(() => void socket.destroy());
  }
  server.kill("SIGTERM");
  expect((await ended).code).toBe(0);
});
