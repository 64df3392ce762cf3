import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export type Certificate = { certFile: string; keyFile: string };

export type Authority = {
  caFile: string;
  ca: string;
  /** Issues a certificate for a host name and 127.0.0.1, which expires after this number of days. */
  issue: (name: string, days: number) => Promise<Certificate>;
};

const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

/** A new certificate authority, with its files in this folder. */
export async function createAuthority(folder: string): Promise<Authority> {
  const openssl = (...args: string[]) => run("openssl", args, { cwd: folder });
  const subject = ["-days", "30", "-subj", "/CN=Test CA"];
  await openssl("req", "-x509", ...NEW_KEY, "-keyout", "ca.key", "-out", "ca.pem", ...subject);
  const caFile = join(folder, "ca.pem");
  return {
    caFile,
    ca: await readFile(caFile, "utf8"),
    issue: async (name, days) => {
      const file = `${name}${days}`;
      await writeFile(join(folder, `${file}.ext`), `subjectAltName = DNS:${name}, IP:127.0.0.1\n`);
      await openssl("req", "-new", ...NEW_KEY, "-keyout", `${file}.key`, "-out", `${file}.csr`, "-subj", `/CN=${name}`);
      const signing = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", `${file}.ext`];
      await openssl("x509", "-req", "-in", `${file}.csr`, ...signing, "-days", `${days}`, "-out", `${file}.pem`);
      return { certFile: join(folder, `${file}.pem`), keyFile: join(folder, `${file}.key`) };
    },
  };
}
