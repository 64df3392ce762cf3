#!/bin/sh
# Makes the files of a cluster, in the current folder: an authority for ten years, a folder with
# certificate and settings for each machine with a database, and one for the machines with nodes.
# Run again, it keeps the authority and the passwords, and makes new certificates for two years.
set -eu
if [ $# -lt 4 ]; then
  echo "usage: $0 ADDRESS-OF-DB1 ADDRESS-OF-DB2 ADDRESS-OF-DB3 ADDRESS-OF-A-NODE…" >&2
  exit 2
fi
umask 077
files=$(dirname "$(readlink -f "$0")")
new_key='-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'
made=$(mktemp -d ./making.XXXXXX)
trap '[ $? = 0 ] || cat "$made/log" >&2; rm -rf "$made"' EXIT

if [ ! -e ca.pem ]; then
  # Python, and so Patroni, refuses an authority without keyUsage.
  openssl req -x509 $new_key -keyout ca.key -out "$made/ca.pem" -days 3650 \
    -subj '/CN=Credence cluster' -addext keyUsage=critical,keyCertSign,cRLSign 2> "$made/log"
  mv "$made/ca.pem" ca.pem
fi
if [ ! -e passwords.sed ]; then
  for name in SUPERUSER REPLICATION REWIND REST; do
    echo "s/${name}_PASSWORD/$(openssl rand -hex 24)/"
  done > "$made/passwords.sed"
  mv "$made/passwords.sed" passwords.sed
fi

address_1=$1 address_2=$2 address_3=$3
databases="$1 $2 $3"
shift 3
nodes=$(echo "$*" | sed 's/ /, /g')
render() {
  sed -f passwords.sed -e "s/MACHINE_NAME/$2/; s/MACHINE_ADDRESS/$3/; s/ADDRESSES_OF_NODES/$nodes/" \
    -e "s/ADDRESS_1/$address_1/; s/ADDRESS_2/$address_2/; s/ADDRESS_3/$address_3/" "$files/$1"
}
number=0
for address in $databases; do
  number=$((number + 1))
  name=db$number
  mkdir -p "$name"
  for file in etcd.conf.yml patroni.yml nftables.conf; do
    render $file $name "$address" > "$name/$file"
  done
  cp ca.pem "$files/install.sh" "$name"
  # localhost: what a client on a machine with HAProxy connects to.
  cat > "$made/extensions" << END
subjectAltName = DNS:$name, IP:$address, DNS:localhost, IP:127.0.0.1
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth, clientAuth
authorityKeyIdentifier = keyid
END
  openssl req -new $new_key -keyout "$name/machine.key" -out "$made/request" -subj "/CN=$name" 2> "$made/log"
  openssl x509 -req -in "$made/request" -CA ca.pem -CAkey ca.key -set_serial "0x00$(openssl rand -hex 16)" \
    -extfile "$made/extensions" -days 730 -out "$name/machine.pem" 2> "$made/log"
done
mkdir -p node
render haproxy.cfg - - > node/haproxy.cfg
cp ca.pem "$files/certificate-days.sh" node
echo "Made db1, db2, db3 and node. Keep ca.key and passwords.sed here, and on none of these machines."
