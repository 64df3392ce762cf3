#!/bin/sh
# As root on a machine with Debian 13 and a database, in its folder of make-cluster.sh: installs packages,
# settings and the certificate, and starts nothing. Run again, it replaces the certificate only.
set -eu
cd "$(dirname "$0")"
packages='patroni python3-etcd etcd-server etcd-client postgresql-17 nftables openssl'
if [ -d /etc/postgresql/17/main ]; then
  echo 'PostgreSQL has a cluster "main" on the port of this one. If nobody uses it: pg_dropcluster 17 main --stop' >&2
  exit 1
fi
if ! dpkg --status $packages > /dev/null 2>&1; then
  # The package would create and start the cluster "main".
  install -d /etc/postgresql-common/createcluster.d
  echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.d/credence.conf
  apt-get update
  apt-get install --yes --no-install-recommends $packages
fi
# The group of Debian for keys. PostgreSQL is a member.
usermod --append --groups ssl-cert etcd
install -D -m 644 -t /etc/credence-ha ca.pem machine.pem
install -m 640 -g ssl-cert -t /etc/credence-ha machine.key
if [ -e /etc/patroni/config.yml ]; then
  echo 'The settings of this machine stay as they are. The certificate is installed.'
  exit
fi
install -D -m 644 -t /etc/etcd etcd.conf.yml
# The unit does not read etcd.conf.yml, and does not restart etcd after an error.
echo ETCD_CONFIG_FILE=/etc/etcd/etcd.conf.yml > /etc/default/etcd
install -d /etc/systemd/system/etcd.service.d
printf '[Service]\nRestart=always\nRestartSec=2\n' > /etc/systemd/system/etcd.service.d/credence.conf
install -m 644 nftables.conf /etc/nftables-credence.conf
echo 'include "/etc/nftables-credence.conf"' >> /etc/nftables.conf
install -m 640 -g postgres patroni.yml /etc/patroni/config.yml
echo 'Installed. Continue with "systemctl" on the page docs/reference/cluster.md.'
