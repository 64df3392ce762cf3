import { expect, test } from "vitest";
import { SECRETS, VARIABLES } from "#core/config/variables.ts";
import { describeUnknown, findUnknownVariables } from "./unknown-variables.ts";

const environmentOf = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, "a secret"]));
const listUnknown = (names: readonly string[]) => findUnknownVariables(environmentOf(names)).map(({ name }) => name);

const MISSPELT = [
  ...["AUTHMODE", "V1_SUNSET", "AUTH_MOD", "DATABASEURL", "RATELIMIT_KEYS", "RATE_LIMIT", "TRUST_PROXIES"],
  ...["TRUSTED_PROXY", "PUBLICURL", "OPT_OUT_KEYFILE", "HOLDER_KEYS", "LOGLEVEL", "LOG_LEVL", "STANDING_AGE"],
  ...["OPERATOR", "MAX_CONNECTION", "V1_BROWNOUT", "auth_mode", "SUNSET_AT", "EXPLORER_INDEXED", "USAGE_RETENTIONS"],
  "DECISION_FILE",
];

// Nothing that is certain enough to warn about.
const UNCERTAIN = ["DB_URL", "CACHE_MAX", "DATABASE_POOL", "PRIVACY", "DRAIN"];

test("finds misspelt settings", () => {
  expect(listUnknown([...MISSPELT, ...UNCERTAIN]).toSorted()).toEqual(MISSPELT.toSorted());
});

test("names the nearest setting, and never the value", () => {
  const [found] = findUnknownVariables({ AUTHMODE: "a secret" });
  expect(found && describeUnknown(found)).toBe(
    "AUTHMODE is not a setting, and has no effect. The nearest is AUTH_MODE.",
  );
  // RATE_LIMIT_KEYS needs fewer edits.
  expect(findUnknownVariables({ RATE_LIMIT_ANON: "1" })).toMatchObject([{ nearest: "RATE_LIMIT_ANONYMOUS" }]);
  expect(findUnknownVariables({ LOG_LEVLE: "info" })).toEqual([{ name: "LOG_LEVLE", nearest: "LOG_LEVEL" }]);
});

test("finds nothing in settings", () => {
  expect(listUnknown([...Object.keys(VARIABLES), ...SECRETS.map((name) => `${name}_FILE`)])).toEqual([]);
});

test.each([
  [
    "systemd",
    "PATH HOME LANG LOGNAME USER SHELL INVOCATION_ID JOURNAL_STREAM CREDENTIALS_DIRECTORY SYSTEMD_EXEC_PID NOTIFY_SOCKET WATCHDOG_USEC LOGS_DIRECTORY CACHE_DIRECTORY STATE_DIRECTORY RUNTIME_DIRECTORY CONFIGURATION_DIRECTORY",
  ],
  [
    "Docker and compose",
    "HOSTNAME TERM NODE_VERSION YARN_VERSION NODE_ENV NODE_OPTIONS NODE_EXTRA_CA_CERTS container CREDENCE_IMAGE POSTGRES_IMAGE NGINX_IMAGE HTTP_PORT HTTPS_PORT COMPOSE_PROJECT_NAME POSTGRES_PASSWORD POSTGRES_DB DATABASE_PASSWORD DATABASE_NAME DATABASE_HOST DATABASE_USER HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy",
  ],
  [
    "Kubernetes",
    "KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT KUBERNETES_PORT KUBERNETES_PORT_443_TCP CREDENCE_SERVICE_HOST CREDENCE_SERVICE_PORT CREDENCE_SERVICE_PORT_HTTP CREDENCE_PORT CREDENCE_PORT_80_TCP_ADDR DATABASE_SERVICE_HOST DATABASE_PORT DATABASE_PORT_5432_TCP DATABASE_SERVICE_PORT EXPLORER_SERVICE_HOST OTEL_EXPORTER_OTLP_ENDPOINT",
  ],
  [
    "CI, platforms and shells",
    "CI GITHUB_ACTIONS RUNNER_OS DYNO WEB_CONCURRENCY MEMORY_AVAILABLE FLY_REGION RAILWAY_ENVIRONMENT RENDER AWS_REGION NO_COLOR FORCE_COLOR SSH_CLIENT SSH_CONNECTION SSH_TTY SSH_AUTH_SOCK XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS PGHOST PGPORT PGUSER PGPASSWORD PGDATABASE PGSSLMODE EDITOR PAGER TZ TMPDIR LS_COLORS OLDPWD PWD SHLVL MAIL NPM_CONFIG_CACHE npm_config_user_agent TEST_DATABASE_URL",
  ],
])("finds nothing in an environment of %s", (_, names) => {
  expect(listUnknown(names.split(" "))).toEqual([]);
});
