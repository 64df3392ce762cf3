#!/bin/sh
# Runs once, in a new volume: creates both roles and the database. The superuser keeps no password, so that it
# can log in only inside this container.
set -eu
# A statement with a password is logged neither when it fails nor when it is slow.
export PGOPTIONS="-c log_statement=none -c log_min_error_statement=panic -c log_min_duration_statement=-1"
psql --set ON_ERROR_STOP=1 --quiet --username "$POSTGRES_USER" --dbname postgres <<SQL
create role credence_owner login createdb password '$(cat /run/secrets/owner-password)';
create role credence_serve login password '$(cat /run/secrets/serve-password)';
create database credence owner credence_owner encoding 'UTF8' template template0;
alter role "$POSTGRES_USER" password null;
SQL
unset PGOPTIONS
