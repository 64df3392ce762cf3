import { createServer } from "node:http";

// A separate process on the server's core, with real-time priority: an attack cannot delay it. Its
// latency is that of the machine and of the client.

const server = createServer((_request, response) => void response.end("ok"));
server.listen(0, "127.0.0.1", () => process.send?.(server.address()));
process.on("disconnect", () => process.exit());
