import Fastify, { type FastifyInstance } from "fastify";
import pg from "pg";

export type Queries = Pick<pg.Pool, "query">;

/** As many connections as the service has for reading. */
const MAX_CONNECTIONS = 8;

pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** Serves the routes of an alternative, with the database and the name in the arguments. */
export async function startAlternative(addRoutes: (app: FastifyInstance, queries: Queries) => void): Promise<void> {
  const [connectionString = "", application_name = ""] = process.argv.slice(2);
  const pool = new pg.Pool({ connectionString, application_name, max: MAX_CONNECTIONS });
  const app = Fastify();
  addRoutes(app, pool);
  const address = await app.listen({ host: "127.0.0.1", port: 0 });
  process.stdout.write(`${JSON.stringify({ msg: "serving", address })}\n`);
  process.once("SIGTERM", async () => {
    await app.close();
    await pool.end();
  });
}

export type ListQuery = { page?: string; per_page?: string; keyword?: string };

export function parseList({ page = "1", per_page = "25", keyword = "" }: ListQuery) {
  const perPage = Math.min(100, Number(per_page) || 25);
  const current = Math.max(1, Number(page) || 1);
  return { current, perPage, offset: (current - 1) * perPage, pattern: `%${keyword.toLowerCase()}%` };
}
