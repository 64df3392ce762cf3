import type { Certificate } from "./certificates.ts";
import { findFreePorts } from "./free-ports.ts";
import { startNginx } from "./nginx.ts";
import { serveDatabase } from "./serving.ts";

/** `stop` stops the node, and leaves nginx. */
export type Deployment = { url: string; httpPort: number; privatePort: number; stop: () => Promise<void> };

export type DeploymentOptions = {
  certificate: Certificate;
  /** The path of PUBLIC_URL, such as `/v1`, which the proxy strips. */
  path?: string;
  environment?: Record<string, string>;
  through?: (url: string) => string;
  /** Changes the configuration of nginx. Called with the URL of the private port. */
  change?: (config: string, privateAddress: string) => string;
};

/** Serves a database behind nginx with TLS, compression and a shared cache. */
export async function deploy(
  database: string,
  { certificate, path = "", environment, through, change = (config) => config }: DeploymentOptions,
): Promise<Deployment> {
  const [port = 0, httpPort = 0] = await findFreePorts(2);
  const url = `https://localhost:${port}${path}`;
  const server = await serveDatabase(database, {
    environment: { PUBLIC_URL: url, TRUSTED_PROXIES: "127.0.0.1", ...environment },
    ...(through && { through }),
  });
  const config = configure({ port, httpPort, certificate, path, address: server.address });
  await startNginx(change(config, server.privateAddress), port);
  return { url, httpPort, privatePort: Number(new URL(server.privateAddress).port), stop: () => server.stop(0) };
}

type Proxy = { port: number; httpPort: number; certificate: Certificate; path: string; address: string };

const configure = ({ port, httpPort, certificate, path, address }: Proxy): string => `
proxy_cache_path $folder/cache keys_zone=v1:1m;
server {
  listen 127.0.0.1:${port} ssl;
  server_name localhost;
  ssl_certificate ${certificate.certFile};
  ssl_certificate_key ${certificate.keyFile};
  ssl_protocols TLSv1.2 TLSv1.3;
  gzip on;
  gzip_proxied any;
  gzip_types application/json;
  add_header Strict-Transport-Security max-age=31536000 always;
  location ${path}/ {
    proxy_pass ${address}${path === "" ? "" : "/"};
    proxy_set_header X-Request-Id $request_id;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_cache v1;
    proxy_cache_key $request_uri;
    proxy_cache_bypass $http_x_api_key;
    proxy_no_cache $http_x_api_key;
  }
}
server {
  listen 127.0.0.1:${httpPort};
  return 301 https://$host:${port}$request_uri;
}
`;
