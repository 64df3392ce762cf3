import { type ListQuery, parseList, startAlternative } from "./start.ts";

// JSON made in SQL: one statement per request, whose only value is the body of the response.

const SHOWN = "not hidden and not merged";
const TIME = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The fields of a list item of the row `p`. */
const ITEM = `'activity_score', p.activity_score, 'identity_score', p.identity_score, 'skills_score', p.skills_score,
  'score', p.score, 'calculating_score', p.calculating_score, 'connections_count', p.connections_count,
  'human_checkmark', p.human_checkmark, 'last_calculated_at', ${TIME("p.last_calculated_at")},
  'main_wallet', (select address from plain.wallet w where w.passport_id = p.passport_id and position = 0),
  'passport_id', p.passport_id,
  'passport_profile', json_build_object('bio', p.bio, 'display_name', p.display_name, 'location', p.location, 'tags', p.tags),
  'verified_wallets', coalesce((select json_agg(address order by position) from plain.wallet w
    where w.passport_id = p.passport_id and position > 0), '[]')`;

const SINGLE = `select json_build_object('passport', json_build_object(${ITEM}, 'merged', p.merged,
    'passport_socials', coalesce((select json_agg(json_build_object('follower_count', follower_count,
      'following_count', following_count, 'location', location, 'profile_bio', profile_bio,
      'profile_display_name', profile_display_name, 'profile_image_url', profile_image_url, 'profile_name', profile_name,
      'profile_url', profile_url, 'source', source) order by position)
      from plain.social s where s.passport_id = p.passport_id), '[]')))::text as body
  from plain.passport p where p.passport_id = `;

const CREDENTIALS = `select json_build_object('passport_credentials', coalesce(json_agg(json_build_object('id', id,
    'earned_at', earned_at, 'category', category, 'last_calculated_at', ${TIME("last_calculated_at")},
    'max_score', max_score, 'score', score, 'name', name, 'type', type, 'value', value)
    order by category collate "C", score desc, id collate "C"), '[]'))::text as body
  from plain.credential where passport_id = $1`;

/** `$1` and `$2` are offset and limit, `$3` is a pattern, if there is one. */
const list = (condition: string): string => `
  with total as (select count(*)::int as total from plain.passport where ${SHOWN}${condition}),
    page as (select * from plain.passport where ${SHOWN}${condition} order by score desc nulls last, passport_id offset $1 limit $2)
  select json_build_object(
    'passports', coalesce((select json_agg(json_build_object(${ITEM}) order by p.score desc nulls last, p.passport_id)
      from page p), '[]'),
    'pagination', json_build_object('current_page', $1::int / $2::int + 1,
      'last_page', greatest(1, ceil(total::numeric / $2::int)::int), 'total', total))::text as body
  from total`;

const STATEMENTS = {
  byId: `${SINGLE} $1 and ${SHOWN}`,
  byWallet: `${SINGLE} (select passport_id from plain.wallet where address = $1 limit 1) and ${SHOWN}`,
  credentials: CREDENTIALS,
  list: list(""),
  search: list(" and folded_name like $3"),
};

await startAlternative((app, queries) => {
  const find = async (name: keyof typeof STATEMENTS, values: unknown[]): Promise<string | undefined> => {
    const { rows } = await queries.query<{ body: string }>({ name, text: STATEMENTS[name] }, values);
    return rows[0]?.body;
  };
  const TYPE = "application/json; charset=utf-8";
  app.get<{ Params: { id: string } }>("/api/v1/passports/:id", async ({ params: { id } }, reply) => {
    const body = await find(/^\d+$/.test(id) ? "byId" : "byWallet", [id.toLowerCase()]);
    if (body === undefined) return reply.code(404).send({ error: "Resource not found." });
    return reply.type(TYPE).send(body);
  });
  app.get<{ Querystring: { passport_id: string } }>("/api/v1/passport_credentials", async ({ query }, reply) =>
    reply.type(TYPE).send(await find("credentials", [query.passport_id])),
  );
  app.get<{ Querystring: ListQuery }>("/api/v1/passports", async ({ query }, reply) => {
    const { offset, perPage, pattern } = parseList(query);
    const body = await (query.keyword ? find("search", [offset, perPage, pattern]) : find("list", [offset, perPage]));
    return reply.type(TYPE).send(body);
  });
});
