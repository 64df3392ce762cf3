import type { FastifyReply } from "fastify";
import { expect, test } from "vitest";
import { sendTogether } from "./send-together.ts";

/** As much of a reply as is touched. */
const replyThat = (destroyed: string[], name: string): FastifyReply =>
  ({ raw: { destroy: () => destroyed.push(name) } }) as unknown as FastifyReply;

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("all of a turn are sent at its end, in order, and one that fails takes none with it", async () => {
  const sent: string[] = [];
  const destroyed: string[] = [];
  const later = sendTogether();
  later(replyThat(destroyed, "one"), () => sent.push("one"));
  later(replyThat(destroyed, "two"), () => {
    throw new Error("broken");
  });
  later(replyThat(destroyed, "three"), () => {
    sent.push("three");
    later(replyThat(destroyed, "four"), () => sent.push("four"));
  });
  expect(sent).toEqual([]);
  await turn();
  expect({ sent, destroyed }).toEqual({ sent: ["one", "three"], destroyed: ["two"] });
  await turn();
  expect(sent).toEqual(["one", "three", "four"]);
});
