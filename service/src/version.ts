// biome-ignore lint/style/noRestrictedImports: the version stands beside the rooms, not in one.
import packageJson from "../package.json" with { type: "json" };

export const VERSION: string = packageJson.version;
