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
  later(replyThat(destroyed, "one"), false, () => sent.push("one"));
  later(replyThat(destroyed, "two"), false, () => {
    throw new Error("broken");
  });
  later(replyThat(destroyed, "three"), false, () => {
    sent.push("three");
    later(replyThat(destroyed, "four"), false, () => sent.push("four"));
  });
  expect(sent).toEqual([]);
  await turn();
  expect({ sent, destroyed }).toEqual({ sent: ["one", "three"], destroyed: ["two"] });
  await turn();
  expect(sent).toEqual(["one", "three", "four"]);
});

test("of large ones, one leaves in a turn, after all small ones", async () => {
  const sent: string[] = [];
  const later = sendTogether();
  for (const name of ["A", "B", "C"]) later(replyThat([], name), true, () => sent.push(name));
  later(replyThat([], "a"), false, () => sent.push("a"));
  await turn();
  expect(sent).toEqual(["a", "A"]);
  later(replyThat([], "b"), false, () => sent.push("b"));
  await turn();
  expect(sent).toEqual(["a", "A", "b", "B"]);
  await turn();
  expect(sent).toEqual(["a", "A", "b", "B", "C"]);
});
