import { once } from "node:events";
import { isIP } from "node:net";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { type Finding, notChecked, ok, problem, warning } from "#core/terminal/check.ts";
import { requestFailed } from "./finding-texts.ts";
import type { Site } from "./site.ts";

const TIMEOUT_MS = 5_000;
const MIN_DAYS = 14;
const DAY_MS = 86_400_000;

const UNTRUSTED_ADVICE =
  "Configure the complete chain of a certificate that clients trust; for nginx, ssl_certificate is the file fullchain.pem. For a private CA, set NODE_EXTRA_CA_CERTS to its file and run this command again.";

/** By code of OpenSSL or Node. */
const FAILURES: Record<string, readonly [finding: string, advice: string]> = {
  CERT_HAS_EXPIRED: ["the certificate has expired", "Renew it, and reload the proxy."],
  CERT_NOT_YET_VALID: ["the certificate is not valid yet", "Check the clocks, or install the right certificate."],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    "the certificate is for another name",
    "Install a certificate whose subjectAltName contains the host of this URL, and check which virtual host of the proxy responds.",
  ],
};

export async function checkTls(site: Site): Promise<Finding> {
  const { origin, isLocal, hostname } = site;
  if (origin.protocol === "http:") {
    if (isLocal) return notChecked("plain http on this machine");
    return problem(
      "plain http: anyone on the way can read keys and change responses",
      "Configure a certificate in the proxy, set PUBLIC_URL to the https:// URL, and check that URL.",
    );
  }
  let socket: TLSSocket;
  try {
    socket = await handshake(site);
  } catch (error) {
    return requestFailed(error);
  }
  const { authorizationError } = socket;
  const validTo = new Date(socket.getPeerCertificate().valid_to);
  const protocol = socket.getProtocol();
  socket.destroy();
  if (authorizationError) return explainFailure(String(authorizationError), hostname);
  const days = Math.floor((validTo.getTime() - Date.now()) / DAY_MS);
  const finding = `${protocol}, certificate valid for ${hostname}, expires in ${days} days`;
  if (days < MIN_DAYS) return warning(finding, "Renew the certificate, and check that renewal is automatic.");
  if (await acceptsOldProtocol(site)) {
    return warning(
      `${finding}, but TLS 1.1 or older is accepted`,
      "Allow TLS 1.2 and 1.3 only in the proxy; for nginx: ssl_protocols TLSv1.2 TLSv1.3.",
    );
  }
  return ok(finding);
}

function explainFailure(code: string, hostname: string): Finding {
  const [finding, advice] = FAILURES[code] ?? ["the certificate is not trusted", UNTRUSTED_ADVICE];
  return problem(`${hostname}: ${finding} (${code})`, advice);
}

/** Clients of today refuse TLS 1.1, and OpenSSL allows it at security level 0 only. */
async function acceptsOldProtocol(site: Site): Promise<boolean> {
  try {
    const old = await handshake(site, { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" });
    old.destroy();
    return true;
  } catch {
    return false;
  }
}

/** Connects also if the certificate is invalid: `authorizationError` has the reason. */
async function handshake({ origin, hostname }: Site, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({
    host: hostname,
    port: Number(origin.port || 443),
    ...(isIP(hostname) === 0 && { servername: hostname }),
    rejectUnauthorized: false,
    ...options,
  });
  // An error after the handshake does not matter.
  socket.on("error", () => {});
  try {
    await once(socket, "secureConnect", { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}
