import Fastify from "fastify";

// The limit: the same framework, sending fixed strings. The arguments are the sizes of the strings.

// biome-ignore lint/style/noProcessEnv: the headers of every response, as a JSON array of pairs.
const headers = Object.fromEntries(JSON.parse(process.env.LIMIT_HEADERS ?? "[]"));
const app = Fastify();
for (const size of process.argv.slice(2).map(Number)) {
  const body = JSON.stringify({ filler: "x".repeat(Math.max(0, size - 13)) });
  app.get(`/${size}`, (_request, reply) => {
    reply.headers(headers).header("content-type", "application/json; charset=utf-8").send(body);
  });
}
const address = await app.listen({ host: "127.0.0.1", port: 0 });
process.stdout.write(`${JSON.stringify({ msg: "serving", address })}\n`);
process.once("SIGTERM", () => app.close());
