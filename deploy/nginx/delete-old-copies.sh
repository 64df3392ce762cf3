#!/bin/sh
# Deletes copies of responses that are older than an hour: delete-old-copies.sh FOLDER. Run it every 15
# minutes, as root.
#
# nginx renews or replaces a copy only by a response that it may store, and keeps it for as long as
# somebody asks for it. After a 410, 429 or 503, or while no node responds, the data of an erased person
# would stay on disk.
set -eu
[ -d "$1" ] || exit 0
# As the user of nginx, who owns the folder: a container has no right to read the files of others.
exec setpriv --reuid "$(stat -c %u "$1")" --regid "$(stat -c %g "$1")" --clear-groups \
  find "$1" -type f -mmin +60 -delete
