#!/bin/sh
# Creates the folders and secrets that compose.yaml needs. Existing secrets are not changed.
set -eu
cd "$(dirname "$0")"
# Only the owner can enter these folders. What is in them is readable, because containers run as other
# users.
mkdir -p secrets data
chmod 700 secrets data
mkdir -p secrets/tls data/snapshots data/backups data/protections
# Containers write here: exports and rejected lines, backups, the file of protections.
chmod 1777 data/snapshots data/backups data/protections
# Docker would name the project after this folder. Not in compose.yaml: docker-compose 1 refuses it.
grep -qs '^COMPOSE_PROJECT_NAME=' .env || echo COMPOSE_PROJECT_NAME=credence >> .env
[ -e credence.env ] || cp settings.env credence.env

create() {
  [ -e "secrets/$1" ] || printf '%s' "$2" > "secrets/$1"
  chmod 444 "secrets/$1"
}

create owner-password "$(openssl rand -hex 24)"
create serve-password "$(openssl rand -hex 24)"
create owner-url "postgres://credence_owner:$(cat secrets/owner-password)@database:5432/credence"
create serve-url "postgres://credence_serve:$(cat secrets/serve-password)@database:5432/credence"
create opt-out-key "$(openssl rand -hex 32)"
create holder-key "$(openssl rand -hex 32)"

# For a first try. Replace it by a certificate for your name.
if [ ! -e secrets/tls/privkey.pem ]; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 90 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost,IP:127.0.0.1 \
    -keyout secrets/tls/privkey.pem -out secrets/tls/fullchain.pem 2>/dev/null
  chmod 444 secrets/tls/privkey.pem
fi
echo "Settings are in $PWD/credence.env, secrets in $PWD/secrets. Keep a copy of opt-out-key separately from the data."
