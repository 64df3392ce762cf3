#!/bin/sh
# Writes the configuration of nginx from the settings and starts it. Makes nginx read it again when the
# certificate was replaced, or when a server has another address, as a container that was started again
# may have. nginx reads the addresses from files: if it looked them up itself, and the name server did not
# answer at that moment, it would keep the old ones.
set -u
tls=/etc/credence/tls
# Replaces the words in @ of proxy.conf by the settings of .env and credence.env.
write_configuration() {
  authority=${PUBLIC_URL#*://}
  authority=${authority%%/*}
  prefixes=api/v1 paths=api exempt=
  IFS=', '
  for path in ${V1_ALSO_AT:-}; do prefixes="$prefixes|${path#/}" paths="$paths|${path#/}"; done
  for network in ${RATE_LIMIT_EXEMPT:-}; do exempt="$exempt$network 1; "; done
  unset IFS
  # nginx answers many requests from its copies, so it must let more through than a server. 0: no limit.
  rate=$((${RATE_LIMIT_ANONYMOUS:-250} * 4 / 10))
  [ "$rate" = 0 ] && rate=100000
  if ! deprecated=$(date --utc --date="${V1_DEPRECATED_AT:-2025-03-31}" +%s 2> /dev/null); then
    echo "V1_DEPRECATED_AT in credence.env is no date: $V1_DEPRECATED_AT. Correct it, and replace the containers." >&2
    exit 1
  fi
  # Several slashes are one.
  paths=$(echo "$paths" | sed 's,/,/+,g')
  sed -e "s,@AUTHORITY@,$authority,g" -e "s,@NAME@,${authority%%:*},g" -e "s,@RATE@,$rate,g" \
    -e "s,@EXEMPT@,$exempt,g" -e "s,@V1_PATHS@,$paths,g" -e "s,@V1_PREFIXES@,$prefixes,g" \
    -e "s,@DEPRECATED_AT@,$deprecated,g" "$1"
}
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
watch() {
  while sleep 2; do
    now=$(find_servers) || now=$known
    certificate_now=$(stat -c %y $tls/fullchain.pem $tls/privkey.pem)
    [ "$now$certificate_now" = "$known$certificate" ] && continue
    write_servers "$now"
    # Fails while only one file of the certificate was replaced.
    nginx -s reload && known=$now certificate=$certificate_now
  done
}
delete_old_copies() {
  while sleep 900; do sh /etc/credence/delete-old-copies.sh /var/cache/nginx/credence; done
}
if ! write_configuration /etc/credence/proxy.conf > /etc/nginx/conf.d/default.conf; then
  # The container is started again at once. Podman cannot remove one that always starts.
  sleep 10
  exit 1
fi
certificate=$(stat -c %y $tls/fullchain.pem $tls/privkey.pem)
until known=$(find_servers); do sleep 1; done
write_servers "$known"
watch &
delete_old_copies &
exec nginx -g 'daemon off;'
