import Type from "typebox";
import { closed, count } from "./fields.ts";

// A file of decisions has a header, one decision a line in order of their ids, and a last line that
// authenticates all before it.

const uuid = (description: string) =>
  Type.String({ pattern: "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", description });
const fingerprint = (description: string) => Type.String({ pattern: "^[0-9a-f]{16}$", description });
const time = (description: string) => Type.String({ format: "date-time", maxLength: 40, description });

export const DecisionsHeader = closed(
  {
    format: Type.Literal("credence-decisions", { description: "Identifies a file of decisions." }),
    version: Type.Literal(1, { description: "The version of the format." }),
  },
  { description: "The first line of a file of decisions." },
);

/** A decision about a person or a key. It holds for ever; one that hides, until another ends it. */
export const Decision = closed(
  {
    decision_id: uuid("Identifies the decision."),
    decided_at: time("When it was made. For people who read it: no rule depends on it."),
    action: Type.String({ pattern: "^[a-z ]{1,20}$", description: "What was decided, such as hide, show or erased." }),
    decided_by: Type.Union([Type.Literal("operator"), Type.Literal("holder"), Type.Literal("worker")], {
      description: "Who decided.",
    }),
    by_role: Type.String({ maxLength: 64, description: "The database role that wrote it." }),
    passport_id: Type.Optional(count({ minimum: 1, description: "The person that it is about." })),
    key_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: "The key that it is about." })),
    due_at: Type.Optional(time("An erasure is carried out then at the earliest; a key expires then.")),
    request: Type.Optional(uuid("The request of a holder that it belongs to.")),
    is_foreign: Type.Optional(Type.Literal(true, { description: "Of another authority than the file." })),
    ends: Type.Optional(Type.Array(uuid("A decision_id."), { description: "The decisions that this one ends." })),
    wallet_key: Type.Optional(fingerprint("The fingerprint of the key of `wallets`.")),
    wallets: Type.Optional(
      Type.Array(Type.String({ pattern: "^[0-9a-f]{64}$", description: "One hash, in hexadecimal digits." }), {
        description:
          "Of an erasure: HMAC-SHA-256 of each wallet in a form that does not depend on its spelling, under the operator's key.",
      }),
    ),
  },
  { description: "A line of a file of decisions." },
);
export type Decision = Type.Static<typeof Decision>;

export const DecisionsEnd = closed(
  {
    end: closed(
      {
        decisions: count({ description: "The number of decisions." }),
        key: Type.Optional(fingerprint("The fingerprint of the key of `mac`.")),
        mac: Type.Optional(
          Type.String({
            pattern: "^[0-9a-f]{64}$",
            description: "HMAC-SHA-256 of all lines before this one, under the operator's key.",
          }),
        ),
      },
      { description: "The end of the file." },
    ),
  },
  { description: "The last line of a file of decisions." },
);
export type DecisionsEnd = Type.Static<typeof DecisionsEnd>;
