# shellcheck shell=bash disable=SC2154
# A part of set-up.sh: users, secrets, settings and the database.

# --- Users, secrets and settings.

add_users() {
  place "$deploy/systemd/credence.sysusers" /etc/sysusers.d/credence.conf
  id credence credence-worker > /dev/null 2>&1 || step 'Create the users credence and credence-worker' systemd-sysusers
}

add_secret() {
  [ -e "$secrets/$1" ] || step "Create the secret $secrets/$1" "${@:2}"
}
random_key() { openssl rand -hex 32 | write "$secrets/$1" 600; }
random_url() {
  printf 'postgres://%s:%s@localhost:%s/%s\n' "$2" "$(openssl rand -hex 24)" "$port" "$database" |
    write "$secrets/$1" 600
}

add_secrets() {
  $is_plan || protect_what_exists
  folder $secrets 700 root
  add_secret work-database-url random_url work-database-url $owner
  add_secret serve-database-url random_url serve-database-url $server
  add_secret opt-out-key random_key opt-out-key
  add_secret holder-key random_key holder-key
  [ -e $secrets/credence.env ] || step "Write the settings $secrets/credence.env" write_settings
}
write_settings() {
  write $secrets/credence.env 600 << SETTINGS
# Settings of the server, the worker and the command line: NAME=value. After a change:
# systemctl restart credence-worker credence
PUBLIC_URL=https://$domain
# nginx, on this machine.
TRUSTED_PROXIES=127.0.0.1
DECISIONS_FILE=/var/lib/credence-worker/decisions.ndjson
BACKUP_FOLDER=/var/lib/credence-backups
SETTINGS
}

# A new secret would lock out a database that exists, or no longer recognise people who were erased.
protect_what_exists() {
  local name missing=()
  look_at_postgres
  for name in work-database-url serve-database-url opt-out-key holder-key; do
    [ -e "$secrets/$name" ] || missing+=("$secrets/$name")
  done
  if [ ${#missing[@]} -gt 0 ] && exists $database; then
    fail "The database $database exists, and these secrets are missing: ${missing[*]}. Bring them from the backup of secrets; new ones would not fit the data."
  fi
  if exists $owner; then require_login work-database-url $owner; fi
  if exists $server; then require_login serve-database-url $server; fi
}

# --- The database.

as_postgres() { (cd / && runuser -u postgres -- psql -qtAX --set ON_ERROR_STOP=1 --dbname postgres --command "$1"); }
# Asked once for each decision: what exists, as a line such as `5432 credence_owner credence_v1`.
look_at_postgres() {
  existing=$(as_postgres "select concat_ws(' ', current_setting('port'), (select string_agg(rolname, ' ') from pg_roles where rolname in ('$owner', '$server')),
    (select datname from pg_database where datname = '$database'))" 2> /dev/null) || fail 'PostgreSQL does not answer. Start it: systemctl start postgresql.'
  port=${existing%% *}
}
exists() { [[ " $existing " == *" $1 "* ]]; }
has_postgres() { command -v psql > /dev/null && [ -n "$(ls /etc/postgresql 2> /dev/null)" ]; }

# Of a URL in the form in which this script writes it.
password_of() { sed -n "s#^postgres://$2:\([0-9A-Za-z]*\)@localhost:[0-9]*/$database\$#\1#p" "$secrets/$1"; }

add_database() {
  local name
  for name in $owner $server; do
    exists $name || step "Create the role $name" create_role $name
  done
  exists $database || step "Create the database $database" create_database
  $is_plan || protect_what_exists
}
# The password is read from standard input, and no setting of PostgreSQL can log it.
create_role() {
  local file=serve-database-url password
  [ "$1" = $owner ] && file=work-database-url
  password=$(password_of $file "$1")
  [ -n "$password" ] || fail "$secrets/$file is not postgres://$1:PASSWORD@localhost:PORT/$database, with letters and digits as the password."
  cd /
  PGOPTIONS='-c log_statement=none -c log_min_duration_statement=-1 -c log_min_error_statement=panic -c log_duration=off -c pg_stat_statements.track_utility=off' \
    runuser -u postgres -- psql -qX --set ON_ERROR_STOP=1 --dbname postgres <<< "create role $1 login password '$password'"
  cd - > /dev/null
}
create_database() {
  as_postgres "create database $database owner $owner encoding 'UTF8' template template0"
}
require_login() {
  local password='' name=postgres
  if [ -e "$secrets/$1" ]; then password=$(password_of "$1" "$2"); fi
  if exists $database; then name=$database; fi
  PGPASSWORD=$password psql -qtAX --no-password --host localhost --port "$port" --username "$2" --dbname $name --command 'select' > /dev/null ||
    fail "PostgreSQL has the role $2, which cannot log in with the password of $secrets/$1. Bring this file from the backup of secrets. If nobody uses the role, drop it: runuser -u postgres -- dropuser $2."
}

add_tables() {
  step 'Create or update the tables' /usr/local/bin/credence migrate --serve-role $server
}
