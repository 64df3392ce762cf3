import { parentPort, workerData } from "node:worker_threads";
import scalar from "@scalar/fastify-api-reference";
import Fastify from "fastify";
import type { Reference } from "./reference.ts";

// Run as a thread by reference.ts.

const app = Fastify();
await app.register(scalar, {
  routePrefix: "/docs",
  configuration: {
    url: "../openapi.json",
    nonce: workerData,
    pageTitle: "Passport and Credentials API (V1, deprecated)",
    withDefaultFonts: false,
    hideClientButton: true,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: "never",
  },
});
const read = async (url: string) => (await app.inject(url)).body;
const reference: Reference = { page: await read("/docs/"), script: await read("/docs/js/scalar.js") };
parentPort?.postMessage(reference);
