import { readFileSync } from "node:fs";

const read = (name: string): Buffer => readFileSync(new URL(name, import.meta.url));

/** The files that the pages load. `preview` is the picture of link previews. */
export const readAssets = (): Record<"stylesheet" | "script" | "holderScript" | "icon" | "preview", Buffer> => ({
  stylesheet: read("explorer.css"),
  script: read("explorer.js"),
  holderScript: read("holder-requests/holder.js"),
  icon: read("icon.svg"),
  preview: read("preview.png"),
});
