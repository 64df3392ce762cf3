import { readFileSync } from "node:fs";

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");

/** The files that pages load, beside the pages themselves. */
export const readAssets = (): { stylesheet: string; icon: string } => ({
  stylesheet: read("explorer.css"),
  icon: read("icon.svg"),
});
