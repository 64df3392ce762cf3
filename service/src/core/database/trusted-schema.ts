import pg, { type ClientBase } from "pg";
import { requireVersion } from "./server-version.ts";

/**
 * A function or an operator that another role creates in `public` can be a better match for an
 * unqualified call than the one of PostgreSQL. Then it runs with the rights of the caller: the owner of
 * the tables, or a superuser.
 */
export class UntrustedSchema extends Error {
  override name = "UntrustedSchema";
  readonly advice: string;

  constructor({ creators, foreign, owner, schemaOwner, canRevoke }: SchemaTrust) {
    const roles = creators.map((role) => role ?? "every role").join(", ");
    super(
      creators.length > 0
        ? `In the schema public, other roles can create functions: ${roles}. They would run with the rights of this role, so it does nothing.`
        : `In the schema public are functions or operators of other roles: ${foreign.join(", ")}. They would run with the rights of this role, so it does nothing.`,
    );
    const grantees = creators.map((role) => (role === null ? "public" : pg.escapeIdentifier(role))).join(", ");
    const revoke = `revoke create on schema public from ${grantees};`;
    this.advice =
      creators.length > 0
        ? canRevoke
          ? `\`credence migrate --serve-role NAME\`, with the role of \`serve\`, revokes it. Or run in this database:\n  ${revoke}`
          : [
              "Run in this database, as a superuser:",
              `  alter schema public owner to ${pg.escapeIdentifier(owner)};`,
              `  ${revoke}`,
              `Without a superuser, as on a hosted server, run the second statement as the owner of the schema, ${schemaOwner}.`,
            ].join("\n")
        : `Find out who created them, and drop them as a superuser: ${foreign.map((object) => `drop ${object};`).join(" ")}`;
  }
}

type SchemaTrust = {
  /** Roles that can create in the schema; null is PUBLIC. */
  creators: (string | null)[];
  foreign: string[];
  owner: string;
  schemaOwner: string;
  /** The current role has the rights of the owner of the schema. */
  canRevoke: boolean;
};

/**
 * Throws `UntrustedSchema`. Call it before other statements on a connection of the owner. An old server
 * comes first: there, every role may create.
 */
export async function requireTrustedSchema(client: ClientBase): Promise<void> {
  await requireVersion(client);
  const trust = await findSchemaTrust(client);
  if (trust.creators.length > 0 || trust.foreign.length > 0) throw new UntrustedSchema(trust);
}

/**
 * Trusted are superusers, the owner of the tables, and the owner of the database. Every function is
 * qualified, and every operator has operands of its exact types, because nothing is trusted yet.
 */
export async function findSchemaTrust(client: ClientBase): Promise<SchemaTrust> {
  const { rows } = await client.query<SchemaTrust>(FIND_TRUST);
  return rows[0] as SchemaTrust;
}

const FIND_TRUST = `
with owner as (
  select coalesce(
    (select relowner from pg_catalog.pg_class where oid = pg_catalog.to_regclass('public.passport')::oid),
    (select oid from pg_catalog.pg_roles where rolname = current_user::name)
  ) as oid
), trusted as (
  select oid from pg_catalog.pg_roles where rolsuper or rolname = 'pg_database_owner'::name
  union select oid from owner
  union select datdba from pg_catalog.pg_database where datname = pg_catalog.current_database()
), public_schema as (
  select oid, nspowner, coalesce(nspacl, pg_catalog.acldefault('n'::"char", nspowner)) as acl
  from pg_catalog.pg_namespace where nspname = 'public'::name
), creators as (
  select grantee from public_schema, pg_catalog.aclexplode(acl) where privilege_type = 'CREATE'::text
  union select nspowner from public_schema
), objects as (
  select 'function '::text as kind, oid::pg_catalog.regprocedure::text as name, proowner as owner
  from pg_catalog.pg_proc where pronamespace = (select oid from public_schema)
  union all
  select 'operator '::text, oid::pg_catalog.regoperator::text, oprowner
  from pg_catalog.pg_operator where oprnamespace = (select oid from public_schema)
)
select
  array(
    select rolname::text from creators left join pg_catalog.pg_roles on oid = grantee
    where not exists (select from trusted where oid = grantee) order by 1
  ) as creators,
  array(
    select pg_catalog.textcat(kind, name) from objects
    where not exists (select from trusted where oid = objects.owner) order by 1
  ) as "foreign",
  (select rolname::text from pg_catalog.pg_roles where oid = (select oid from owner)) as owner,
  (select rolname::text from pg_catalog.pg_roles where oid = (select nspowner from public_schema)) as "schemaOwner",
  (select pg_catalog.pg_has_role(current_user::name, nspowner, 'USAGE'::text) from public_schema) as "canRevoke"`;
