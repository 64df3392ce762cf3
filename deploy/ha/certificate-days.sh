#!/bin/sh
# Prints for how many days the certificates are valid that the machines of a cluster send: of Patroni
# and PostgreSQL, in the text format of Prometheus. -1: no certificate was sent.
set -eu
if [ $# = 0 ]; then
  echo "usage: $0 ADDRESS…" >&2
  exit 2
fi
for address; do
  for port in 8008 5432; do
    start=
    [ $port = 8008 ] || start='-starttls postgres'
    end=$(timeout 10 openssl s_client -connect "$address:$port" $start < /dev/null 2> /dev/null |
      openssl x509 -noout -enddate 2> /dev/null | cut -d= -f2) || true
    days=-1
    [ -z "$end" ] || days=$((($(date -d "$end" +%s) - $(date +%s)) / 86400))
    echo "credence_cluster_certificate_days{machine=\"$address\",port=\"$port\"} $days"
  done
done
