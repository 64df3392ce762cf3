import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { rootCertificates } from "node:tls";

// Writes the root file system of the image into the folder given as argument: Node, the libraries it
// has loaded, and the few files that they read. Runs in the base image, which needs nothing but Node.

const root = process.argv[2];
if (root === undefined) throw new Error("Usage: node make-root.ts FOLDER");

/** The uid and gid of the process. Fixed, so that the owner of mounted files can be set before. */
const USER_ID = 10001;

const FILES: Readonly<Record<string, string>> = {
  "/etc/passwd": `credence:x:${USER_ID}:${USER_ID}::/:/nologin\n`,
  "/etc/group": `credence:x:${USER_ID}:\n`,
  // Without it, the order in which names are looked up depends on the version of the C library.
  "/etc/nsswitch.conf": "hosts: files dns\n",
  "/etc/ssl/certs/ca-certificates.crt": `${rootCertificates.join("\n")}\n`,
};

const inImage = (path: string): string => {
  const target = join(root, path);
  mkdirSync(dirname(target), { recursive: true });
  return target;
};

/** The kernel's own library has a name without a folder. */
const { sharedObjects } = process.report.getReport() as { sharedObjects: string[] };
for (const library of sharedObjects.filter((path) => path.startsWith("/"))) copyFileSync(library, inImage(library));
copyFileSync(process.execPath, inImage("/usr/local/bin/node"));
for (const [path, text] of Object.entries(FILES)) writeFileSync(inImage(path), text);

// The mount point of a writable folder, because the root is read-only.
mkdirSync(join(root, "tmp"));
chmodSync(join(root, "tmp"), 0o1777);
