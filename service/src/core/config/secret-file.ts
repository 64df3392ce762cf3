import { readFileSync } from "node:fs";

const FILE_FAULTS: Record<string, string> = {
  ENOENT: "there is no such file",
  EACCES: "permission denied",
  EISDIR: "it is a folder",
};

/** The message does not contain the path: it could be a secret that was set in the wrong variable. */
export function readSecretFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    throw new Error(`${FILE_FAULTS[code] ?? code}; expected the path of a file that this user can read.`);
  }
}
