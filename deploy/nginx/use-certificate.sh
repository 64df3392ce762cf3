#!/bin/sh
# Installs a new certificate where nginx reads it, and reloads nginx. certbot runs it after each renewal, if it
# was its --deploy-hook once; by hand: RENEWED_LINEAGE=FOLDER use-certificate.sh
set -eu
from=${RENEWED_LINEAGE:?is not set: the folder with fullchain.pem and privkey.pem}
to=/etc/credence/tls
umask 077

of_certificate=$(openssl x509 -in "$from/fullchain.pem" -noout -pubkey)
of_key=$(openssl pkey -in "$from/privkey.pem" -pubout)
if [ "$of_certificate" != "$of_key" ]; then
  echo "$from: the certificate and the key do not belong together. Nothing was changed." >&2
  exit 1
fi
for name in fullchain.pem privkey.pem; do
  cat "$from/$name" > "$to/$name.new"
  sync "$to/$name.new"
done
mv "$to/privkey.pem.new" "$to/privkey.pem"
mv "$to/fullchain.pem.new" "$to/fullchain.pem"
nginx -t -q
nginx -s reload
