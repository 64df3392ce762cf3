import { type ListQuery, parseList, type Queries, startAlternative } from "./start.ts";

// A plain server: a statement for each table, OFFSET and count for pages, objects and JSON.stringify.

type Row = Record<string, unknown> & { passport_id: number };

const COLUMNS = `activity_score, identity_score, skills_score, score, calculating_score, connections_count, human_checkmark,
  last_calculated_at, passport_id, bio, display_name, location, tags, merged`;
const SHOWN = "not hidden and not merged";

await startAlternative((app, queries) => {
  app.get<{ Params: { id: string } }>("/api/v1/passports/:id", async ({ params }, reply) => {
    const passport = await findPassport(queries, params.id);
    return passport === undefined ? reply.code(404).send({ error: "Resource not found." }) : { passport };
  });
  app.get<{ Querystring: { passport_id: string } }>("/api/v1/passport_credentials", async ({ query }) => {
    const { rows } = await queries.query(
      {
        name: "credentials",
        text: `select id, earned_at, category, last_calculated_at, max_score, score, name, type, value from plain.credential
          where passport_id = $1 order by category collate "C", score desc, id collate "C"`,
      },
      [query.passport_id],
    );
    return { passport_credentials: rows };
  });
  app.get<{ Querystring: ListQuery }>("/api/v1/passports", async ({ query }) => listPassports(queries, query));
});

async function findPassport(queries: Queries, reference: string) {
  const { rows } = await queries.query<Row>(
    /^\d+$/.test(reference)
      ? { name: "by id", text: `select ${COLUMNS} from plain.passport where passport_id = $1 and ${SHOWN}` }
      : {
          name: "by wallet",
          text: `select ${COLUMNS} from plain.passport
            where passport_id = (select passport_id from plain.wallet where address = $1 limit 1) and ${SHOWN}`,
        },
    [reference.toLowerCase()],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const [wallets, socials] = await Promise.all([
    listWallets(queries, [row.passport_id]),
    queries.query(
      {
        name: "socials",
        text: `select follower_count, following_count, location, profile_bio, profile_display_name, profile_image_url,
          profile_name, profile_url, source from plain.social where passport_id = $1 order by position`,
      },
      [row.passport_id],
    ),
  ]);
  return { ...present(row, wallets), merged: row.merged, passport_socials: socials.rows };
}

async function listPassports(queries: Queries, query: ListQuery) {
  const { current, perPage, offset, pattern } = parseList(query);
  const [where, values] = query.keyword ? [`${SHOWN} and folded_name like $1`, [pattern]] : [SHOWN, []];
  const [counted, found] = await Promise.all([
    queries.query<{ total: number }>(
      { name: `count ${where}`.slice(0, 60), text: `select count(*)::int as total from plain.passport where ${where}` },
      values,
    ),
    queries.query<Row>(
      {
        name: `page ${where}`.slice(0, 60),
        text: `select ${COLUMNS} from plain.passport where ${where} order by score desc nulls last, passport_id
          offset ${query.keyword ? "$2 limit $3" : "$1 limit $2"}`,
      },
      [...values, offset, perPage],
    ),
  ]);
  const total = counted.rows[0]?.total ?? 0;
  const wallets = await listWallets(
    queries,
    found.rows.map(({ passport_id }) => passport_id),
  );
  return {
    passports: found.rows.map((row) => present(row, wallets)),
    pagination: { current_page: current, last_page: Math.max(1, Math.ceil(total / perPage)), total },
  };
}

async function listWallets(
  queries: Queries,
  ids: readonly number[],
): Promise<Map<number, { address: string; position: number }[]>> {
  const { rows } = await queries.query<{ passport_id: number; address: string; position: number }>(
    {
      name: "wallets",
      text: "select passport_id, address, position from plain.wallet where passport_id = any ($1) order by passport_id, position",
    },
    [ids],
  );
  return Map.groupBy(rows, ({ passport_id }) => passport_id);
}

function present(row: Row, wallets: Map<number, { address: string; position: number }[]>) {
  const listed = wallets.get(row.passport_id) ?? [];
  const { activity_score, identity_score, skills_score, score, calculating_score, connections_count } = row;
  return {
    ...{ activity_score, identity_score, skills_score, score, calculating_score, connections_count },
    human_checkmark: row.human_checkmark,
    last_calculated_at: row.last_calculated_at,
    main_wallet: listed.find(({ position }) => position === 0)?.address ?? null,
    passport_id: row.passport_id,
    passport_profile: { bio: row.bio, display_name: row.display_name, location: row.location, tags: row.tags },
    verified_wallets: listed.filter(({ position }) => position > 0).map(({ address }) => address),
  };
}
