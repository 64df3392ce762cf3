#!/bin/sh
# Starts nginx, and makes it read its configuration again when the server has another address: nginx
# looks `server` up when it reads its configuration, and a container that was started again may move.
set -u
find_server() { getent ahostsv4 server; }
watch_server() {
  while sleep 2; do
    now=$(find_server) || continue
    [ "$now" = "$known" ] && continue
    nginx -s reload && known=$now
  done
}
# Redirects to https name the port, unless it is the default.
port=${HTTPS_PORT:-443}
[ "$port" = 443 ] && port= || port=:$port
printf 'map $host $credence_https_port { default "%s"; }\n' "$port" > /run/credence-port.conf
# nginx does not start without the address.
until known=$(find_server); do sleep 1; done
watch_server &
exec nginx -g 'daemon off;'
