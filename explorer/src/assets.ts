import { readFileSync } from "node:fs";

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");

/** The files that the pages load. */
export const readAssets = (): { stylesheet: string; icon: string } => ({
  stylesheet: read("explorer.css"),
  icon: read("icon.svg"),
});
