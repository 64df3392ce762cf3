import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { savePeople } from "#people/write/save-people.ts";
import { runCommand } from "#testing/command.ts";
import { freshDatabase, testDatabase } from "#testing/database.ts";
import { person } from "#testing/people.ts";
import { administer, ensureRole, SERVE_ROLE, urlOf } from "#testing/server.ts";
import { openDatabase, queryValue } from "./database.ts";

// In a database that comes from PostgreSQL 14, every role may create in the schema public.
const AS_FROM_14 = "grant create on schema public to public";

/** A role that owns the tables, but neither the database nor the schema. */
const OWNER = `${SERVE_ROLE}_owner`;

const readSql = (): string =>
  globSync("service/{src,migrations}/**/*.{ts,sql}")
    .filter((file) => !file.endsWith(".test.ts"))
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");

/**
 * As the serving role: for each function and aggregate of PostgreSQL that our SQL may call, and for each
 * operator that it has, others of the same name with other types. Calling one increases a sequence, which no rollback undoes.
 */
const plant = (names: string[]): string => `
create sequence public.calls;
grant usage on sequence public.calls to public;
do $plant$
declare arguments text; target record; place integer; kind text;
begin
  for target in select distinct proname, proargtypes::oid[] as types from pg_proc
    where pronamespace = 'pg_catalog'::regnamespace and proname = any (array['${names.join("','")}'])
      and pronargs between 1 and 4
  loop
    for place in 0 .. pg_catalog.array_length(target.types, 1) - 1 loop
      foreach kind in array array['text', 'varchar', 'name', 'regrole', 'anyelement', 'integer'] loop
        select pg_catalog.string_agg(case when number - 1 = place then kind else type::regtype::text end, ', ' order by number)
        into arguments from pg_catalog.unnest(target.types) with ordinality as given (type, number);
        begin
          execute pg_catalog.format('create function public.%I(%s) returns text language sql as $f$ select nextval(''public.calls'')::text $f$',
            target.proname, arguments);
        exception when others then null;
        end;
      end loop;
    end loop;
  end loop;
  create function public.trap(varchar, varchar) returns boolean language sql as $f$ select nextval('public.calls') > 0 $f$;
  create function public.trap(regrole, oid) returns boolean language sql as $f$ select nextval('public.calls') > 0 $f$;
  create function public.trap(name, varchar) returns boolean language sql as $f$ select nextval('public.calls') > 0 $f$;
  for kind in select distinct oprname from pg_operator where oprnamespace = 'pg_catalog'::regnamespace loop
    execute pg_catalog.format('create operator public.%s (function = public.trap, leftarg = varchar, rightarg = varchar)', kind);
    execute pg_catalog.format('create operator public.%s (function = public.trap, leftarg = regrole, rightarg = oid)', kind);
    execute pg_catalog.format('create operator public.%s (function = public.trap, leftarg = name, rightarg = varchar)', kind);
  end loop;
end $plant$`;

describe("a schema in which other roles can create", () => {
  test("every command refuses before it calls anything that is planted; the printed statements mend it", async () => {
    const { database, name, url } = await freshDatabase("template template0 encoding 'UTF8'");
    await savePeople(database, [person(1)]);
    await database.query(AS_FROM_14);
    const names = [...new Set(readSql().match(/\b[a-z_]+(?= ?\()/g))];
    const serve = urlOf(name, SERVE_ROLE);
    const attacker = openDatabase({ url: serve, name: "test", maxConnections: 1, statementTimeoutMs: 0 });
    await attacker.query(plant(names)).finally(() => attacker.end());
    const countCalls = () => queryValue<number>(database, "select last_value - (not is_called)::int from public.calls");
    const planted = await queryValue<number>(
      database,
      "select count(*) from pg_proc where pronamespace = 'public'::regnamespace and proowner = $1::regrole",
      [SERVE_ROLE],
    );
    expect(planted).toBeGreaterThan(300);
    // The trap works: without the check, the owner would call it.
    await database.query("select format('%s', 10::regrole)");
    expect(await countCalls()).toBe(1);

    const commands = [
      ["migrate"],
      ["standing", "refresh"],
      ["documents", "verify"],
      ["work", "--until-done"],
      ["passport", "hide", "1"],
      ["status"],
      ["doctor"],
    ];
    for (const command of commands) {
      const { code, stdout, stderr } = await runCommand(command, { DATABASE_URL: url });
      expect(code, command.join(" ")).toBe(3);
      expect(stdout + stderr).toContain("In the schema public, other roles can create functions: every role.");
      expect(stdout + stderr).toContain("  revoke create on schema public from public;\n");
    }
    // As the owner of the schema, it revokes the right itself. What was created before stays a problem.
    const { code, stderr } = await runCommand(["migrate", "--serve-role", SERVE_ROLE], { DATABASE_URL: url });
    expect(code).toBe(3);
    expect(stderr).toMatch(/functions or operators of other roles: .*function format\(text,regrole\)/);
    expect(stderr).toContain("drop function format(text,regrole);");
    expect(await countCalls()).toBe(1);

    await database.query(`drop owned by ${SERVE_ROLE}`);
    const mended = await runCommand(["migrate", "--serve-role", SERVE_ROLE], { DATABASE_URL: url });
    expect(mended).toMatchObject({ code: 0 });
    expect((await runCommand(["doctor"], { DATABASE_URL: serve })).stdout).toContain("ok       role");
  });

  test("an owner who cannot revoke gets the statements before any migration, and they mend it", async () => {
    const { database, name } = await testDatabase("template template0 encoding 'UTF8'");
    const admin = await queryValue<string>(database, "select current_user");
    await administer((connection) => ensureRole(connection, OWNER));
    await database.query(`alter schema public owner to ${admin}; ${AS_FROM_14}`);
    const owner = urlOf(name, OWNER);
    const refused = await runCommand(["migrate", "--serve-role", SERVE_ROLE], { DATABASE_URL: owner });
    expect(refused.code).toBe(3);
    expect((await database.query("select from pg_tables where schemaname = 'public'")).rowCount).toBe(0);
    const [, ownership = "", revoke = ""] =
      /as a superuser:\n {2}(alter schema .*;)\n {2}(revoke .*;)\n.*the owner of the schema, (.*)\.$/m.exec(
        refused.stderr,
      ) ?? [];
    expect(refused.stderr).toContain(`the owner of the schema, ${admin}.`);
    await database.query(`${ownership} ${revoke}`);
    const migrated = await runCommand(["migrate", "--serve-role", SERVE_ROLE], { DATABASE_URL: owner });
    expect(migrated).toMatchObject({ code: 0 });
    await database.query(`drop owned by ${OWNER}`);
  });
});
