#!/bin/sh
# Creates the folders, settings and secrets that compose.yaml needs: ./set-up.sh DOMAIN. Without a name, for
# localhost. Changes nothing that exists, and can be run again, after an interruption as well.
set -eu
case ${1:-localhost} in *[!a-z0-9.-]*)
  echo "Expected a domain, such as api.example.org: ./set-up.sh DOMAIN" >&2
  exit 1
esac
cd "$(dirname "$0")"
if ! command -v openssl > /dev/null; then
  echo "This needs openssl. Install it first." >&2
  exit 1
fi
if [ ! -e ../nginx/http.conf ]; then
  echo "The folder ../nginx is missing, and the proxy needs its files. Copy the whole folder deploy/, not only compose/." >&2
  exit 1
fi

# What shows that there may be a database: the secrets were complete once, a worker wrote its file, there is
# a backup, or Docker or Podman has the volume.
find_database() {
  [ -e data/set-up-is-complete ] && echo "$PWD/data/set-up-is-complete" && return
  for file in data/decisions/* data/backups/*; do [ -e "$file" ] && echo "$PWD/$file" && return; done
  project=${COMPOSE_PROJECT_NAME:-$(sed -n 's/^COMPOSE_PROJECT_NAME=//p' .env 2> /dev/null || true)}
  for volume in "${project:-credence}_database" "$(basename "$PWD")_database"; do
    for engine in docker podman; do
      "$engine" volume inspect "$volume" > /dev/null 2>&1 && echo "the volume $volume" && return
    done
  done
  return 0
}
missing=
for name in opt-out-key holder-key owner-password serve-password; do
  [ -s "secrets/$name" ] || missing="$missing secrets/$name"
done
if [ -n "$missing" ]; then
  sign=$(find_database)
  if [ -n "$sign" ]; then
    echo "There is a database already ($sign), but not:$missing" >&2
    echo "Nothing was changed: new passwords would not open the database, and new keys would not fit what is stored." >&2
    echo "Copy the missing files from your backup of $PWD/secrets, and run this again." >&2
    exit 1
  fi
fi

# Only the owner can enter these folders. What is in them is readable, because containers run as other
# users.
mkdir -p secrets data
chmod 700 secrets data
mkdir -p secrets/tls data/snapshots data/backups data/decisions data/acme
# Containers write here: exports and rejected lines, backups, the file of decisions.
chmod 1777 data/snapshots data/backups data/decisions
chmod 755 data/acme

# Adds a line to .env, unless it has one with this name.
add_setting() {
  grep -qs "^$1=" .env && return
  [ -z "$(tail -c 1 .env 2> /dev/null)" ] || echo >> .env
  echo "$1=$2" >> .env
}
# Docker would name the project after this folder. Not in compose.yaml: docker-compose 1 refuses it.
add_setting COMPOSE_PROJECT_NAME credence
[ -e credence.env ] || cp settings.env credence.env
port=${HTTPS_PORT:-$(sed -n 's/^HTTPS_PORT=//p' .env)}
[ "${port:-443}" = 443 ] && port= || port=:$port
add_setting PUBLIC_URL "https://${1:-localhost}$port"
url=$(sed -n 's/^PUBLIC_URL=//p' .env | tail -n 1)
name=${url#*://} name=${name%%/*} name=${name%%:*}
if [ "${1:-$name}" != "$name" ]; then
  echo "PUBLIC_URL in $PWD/.env is $url. For the name $1, change that line and run this without a name." >&2
  exit 1
fi

# A file gets its name when it is complete.
create() {
  if [ ! -s "secrets/$1" ]; then
    [ -n "$2" ]
    (umask 077 && printf '%s' "$2" > "secrets/$1.new")
    mv "secrets/$1.new" "secrets/$1"
  fi
  chmod 444 "secrets/$1"
}
create owner-password "$(openssl rand -hex 24)"
create serve-password "$(openssl rand -hex 24)"
create owner-url "postgres://credence_owner:$(cat secrets/owner-password)@database:5432/credence"
create serve-url "postgres://credence_serve:$(cat secrets/serve-password)@database:5432/credence"
create opt-out-key "$(openssl rand -hex 32)"
create holder-key "$(openssl rand -hex 32)"

# Until there is a certificate of an authority. One that this script made for another name is replaced.
is_own_for_another_name() {
  openssl x509 -in secrets/tls/fullchain.pem -noout -subject | grep -q 'Credence until there is a certificate' &&
    ! openssl x509 -in secrets/tls/fullchain.pem -noout -checkhost "$name" | grep -q 'does match'
}
if [ ! -s secrets/tls/fullchain.pem ] || is_own_for_another_name; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 90 \
    -subj "/O=Credence until there is a certificate/CN=$name" -addext "subjectAltName=DNS:$name" \
    -keyout secrets/tls/privkey.new -out secrets/tls/fullchain.new 2> /dev/null
  chmod 444 secrets/tls/privkey.new secrets/tls/fullchain.new
  mv secrets/tls/privkey.new secrets/tls/privkey.pem
  mv secrets/tls/fullchain.new secrets/tls/fullchain.pem
fi
# The worker replaces this file. A copy of the folder may have made it another user's.
[ "$(id -u)" != 0 ] || find data/decisions -type f -exec chown 10001:10001 {} +
touch data/set-up-is-complete

cat <<TEXT
The server will be at $url. Settings are in $PWD/.env and credence.env.
Copy these to another machine today. A backup of the database does not contain them:
  secrets/opt-out-key   Without it, imports are refused, and nobody can tell which wallets were erased.
  secrets/holder-key    Without it, open requests of holders cannot be carried out.
  .env, credence.env and the rest of secrets/   Without them, you choose settings and passwords again.
Copy data/decisions with each backup. Without it, a restore shows people who hid or were erased since.
TEXT
