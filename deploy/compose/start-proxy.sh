#!/bin/sh
# Starts nginx, and makes it read its configuration again when a server has another address, as a
# container that was started again may have. nginx reads the addresses from files: if it looked them up
# itself, and the name server did not answer at that moment, it would keep the old ones.
set -u
# The addresses of the servers. second-server.yaml names two. Fails if none is found.
find_servers() {
  found=
  for name in ${SERVERS:-server}; do
    set -- $(getent ahostsv4 "$name")
    [ $# -gt 0 ] && found="$found $1"
  done
  [ -n "$found" ] && echo $found
}
write_servers() {
  for address in $1; do echo "server $address:8080 max_fails=1 fail_timeout=10s;"; done > /run/credence-servers.conf
  for address in $1; do echo "server $address:8080 max_fails=0;"; done > /run/credence-all-servers.conf
}
watch_servers() {
  while sleep 2; do
    now=$(find_servers) || continue
    [ "$now" = "$known" ] && continue
    write_servers "$now"
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
until known=$(find_servers); do sleep 1; done
write_servers "$known"
watch_servers &
delete_old_copies &
exec nginx -g 'daemon off;'
