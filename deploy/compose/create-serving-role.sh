#!/bin/sh
# Runs once, when the database is created.
set -eu
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<SQL
create role credence_serve login password '$(cat /run/secrets/serve-password)';
SQL
