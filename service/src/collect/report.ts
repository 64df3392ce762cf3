import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import type { Outcome } from "./outcome.ts";

export type Counts = Record<Outcome["outcome"], number>;

const CHUNK_CHARACTERS = 65_536;
const MAX_EXAMPLES = 20;
const MAX_REASONS = 20;

/** The report of a collection: one line per person, and the counts. */
export function createReport(path: string) {
  const file = openSync(path, "w", 0o600);
  const counts: Counts = {
    collected: 0,
    incomplete: 0,
    rejected: 0,
    disappeared: 0,
    failed: 0,
    erased: 0,
    tie: 0,
  };
  const examples: Record<string, number[]> = {};
  const reasons = new Map<string, number>();
  const replaced = new Map<string, number>();
  const kept = { people: 0, oldest_days: 0 };
  let text = "";
  const flush = () => {
    writeSync(file, text);
    text = "";
  };
  const add = (outcome: Outcome): void => {
    counts[outcome.outcome] += 1;
    text += `${JSON.stringify(outcome)}\n`;
    if (text.length > CHUNK_CHARACTERS) flush();
    for (const field of outcome.replaced ?? []) replaced.set(field, (replaced.get(field) ?? 0) + 1);
    if (outcome.kept_days !== undefined) {
      kept.people += 1;
      kept.oldest_days = Math.max(kept.oldest_days, outcome.kept_days);
    }
    if (outcome.outcome === "collected") return;
    const list = examples[outcome.outcome] ?? [];
    examples[outcome.outcome] = list;
    if (outcome.passport_id !== null && list.length < MAX_EXAMPLES) list.push(outcome.passport_id);
    const reason = `${outcome.outcome}: ${outcome.reason ?? ""}`.slice(0, 300);
    if (reasons.has(reason) || reasons.size < MAX_REASONS) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  };
  return {
    add,
    replaced,
    result: () => ({
      counts,
      examples,
      reasons: [...reasons].sort(([, a], [, b]) => b - a),
      replaced: Object.fromEntries(replaced),
      kept,
    }),
    close: () => {
      flush();
      fsyncSync(file);
      closeSync(file);
    },
  };
}
