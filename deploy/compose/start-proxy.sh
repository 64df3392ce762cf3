#!/bin/sh
# Starts nginx, and makes it read its configuration again when the server has another address, as a
# container that was started again may have. nginx reads the address from a file: if it looked it up
# itself, and the name server did not answer at that moment, it would keep the old one.
set -u
find_server() {
  set -- $(getent ahostsv4 server)
  [ $# -gt 0 ] && echo "$1"
}
write_server() { echo "server $1:8080 max_fails=0;" > /run/credence-server.conf; }
watch_server() {
  while sleep 2; do
    now=$(find_server) || continue
    [ "$now" = "$known" ] && continue
    write_server "$now"
    nginx -s reload && known=$now
  done
}
delete_old_copies() {
  while sleep 900; do sh /etc/credence/delete-old-copies.sh /var/cache/nginx/credence; done
}
# Redirects to https name the port, unless it is the default.
port=${HTTPS_PORT:-443}
[ "$port" = 443 ] && port= || port=:$port
printf 'map $host $credence_https_port { default "%s"; }\n' "$port" > /run/credence-port.conf
until known=$(find_server); do sleep 1; done
write_server "$known"
watch_server &
delete_old_copies &
exec nginx -g 'daemon off;'
