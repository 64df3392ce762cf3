#!/bin/bash
# Makes a backup: a folder with a dump of the database and the file of decisions. credence-backup.service
# runs it; docs/OPERATING.md describes how to restore. Settings, in /etc/credence/backup.env:
#   BACKUP_DAYS=14                          how long backups are kept, here and in a folder of BACKUP_COPY_TO
#   BACKUP_COPY_TO=/mnt/backup/credence     a folder, or backup@another.example:credence/
set -euo pipefail
umask 077
folder=${BACKUP_FOLDER:?}
days=${BACKUP_DAYS:-14}
copy_to=${BACKUP_COPY_TO:-}
[[ $days =~ ^[1-9][0-9]*$ ]] || {
  echo "BACKUP_DAYS is $days: expected a number of days." >&2
  exit 2
}

# For pg_dump, as variables: everyone can read arguments.
read_database() {
  node -e 'const url = new URL(require("node:fs").readFileSync(process.env.DATABASE_URL_FILE, "utf8").trim());
    const of = (name) => url.searchParams.get(name) ?? "";
    const values = { PGHOST: decodeURIComponent(url.hostname) || of("host"), PGPORT: url.port, PGUSER: decodeURIComponent(url.username) || of("user"),
      PGPASSWORD: decodeURIComponent(url.password), PGDATABASE: decodeURIComponent(url.pathname.slice(1)),
      PGSSLMODE: of("sslmode"), PGSSLROOTCERT: of("sslrootcert") };
    for (const [name, value] of Object.entries(values)) if (value !== "") process.stdout.write(`${name}=${value}\0`);'
}
while IFS= read -r -d '' variable; do export "${variable?}"; done < <(read_database)
[ -n "${PGDATABASE:-}" ] || {
  echo 'DATABASE_URL_FILE cannot be read.' >&2
  exit 2
}

# Backups that are older, but never the newest. What a killed attempt left, too.
delete_old() {
  local newest
  find "$1" -mindepth 1 -maxdepth 1 -type d -name '20*.part' -exec rm -rf {} +
  newest=$(find "$1" -mindepth 1 -maxdepth 1 -type d -name '20*Z' | sort | tail -n 1)
  find "$1" -mindepth 1 -maxdepth 1 -type d -name '20*Z' ! -path "$newest" -mtime "+$((days - 1))" -exec rm -rf {} +
}

mkdir -p "$folder"
name=$(date --utc +%Y-%m-%dT%H%M%SZ)
part=$folder/$name.part
mkdir "$part"
trap 'rm -rf "$part"' EXIT
pg_dump --format=custom --no-toast-compression --file="$part/credence.dump"
# After the dump, so that it has all changes that the dump lacks.
credence decisions export "$part/decisions.ndjson" > /dev/null
# Reads the dump to its end. `--list` reads only its beginning.
pg_restore --file=/dev/null "$part/credence.dump"
pg_restore --list "$part/credence.dump" > "$part/list"
grep -q 'TABLE DATA' "$part/list" || {
  echo "The dump in $part contains no data." >&2
  exit 1
}
rm "$part/list"
sync "$part"/*
mv "$part" "$folder/$name"
delete_old "$folder"
echo "Backup $folder/$name, $(du -sh "$folder/$name" | cut -f 1)."

[ -n "$copy_to" ] || exit 0
# Complete files only: rsync writes beside them.
rsync --archive --fsync --timeout=60 "$folder/$name" "$copy_to/"
echo "Copied to $copy_to."
# A folder. On another machine, delete what is too old there.
if [[ $copy_to != *:* ]]; then delete_old "$copy_to"; fi
