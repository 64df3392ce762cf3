import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";

/**
 * A CycloneDX list of the production dependencies of the server, from the installed packages of a
 * clone. npm adds a random number and the current time; both are replaced, so that the same commit
 * gives the same bytes.
 */
export function createSbom(clone: string, time: Date): string {
  const args = ["sbom", "--omit=dev", "--sbom-format=cyclonedx", "--sbom-type=application"];
  const output = execFileSync("npm", [...args, "--workspace=@credence/service"], { cwd: clone, encoding: "utf8" });
  const sbom = JSON.parse(output);
  sbom.metadata.timestamp = time.toISOString();
  sbom.metadata.component.name = "credence";
  sbom.components.push({
    type: "application",
    name: "node",
    version: process.versions.node,
    description: "The runtime in the container image.",
    purl: `pkg:generic/node@${process.versions.node}`,
  });
  delete sbom.serialNumber;
  const hash = createHash("sha256").update(JSON.stringify(sbom)).digest("hex");
  const uuid = `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
  return `${JSON.stringify({ ...sbom, serialNumber: `urn:uuid:${uuid}` }, null, 2)}\n`;
}
