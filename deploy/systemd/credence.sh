#!/bin/bash
# /usr/local/bin/credence: the command line of Credence, with the settings of the server. Only root can use it.
#
# It reads credence.env by the rules of systemd, without executing it, and the secrets. The program gets both
# in its environment, and runs as the user of the worker. It keeps one right of root, to read and write files
# of any owner: a snapshot in the folder of the caller belongs to root. So everything is read-only for it
# but the current folder and the folders of the files that its arguments name, and /etc/credence is hidden.
set -euo pipefail
settings=/etc/credence
user=credence-worker

# As systemd.exec(5) describes EnvironmentFile=. Lines of a comment are not continued.
read_settings() {
  local LC_ALL=C text state=before_name name='' value='' quoted=0 character index
  text=$(< "$1")$'\n'
  for ((index = 0; index < ${#text}; index += 1)); do
    character=${text:index:1}
    case $state:$character in
      before_name:[[:space:]]) ;;
      before_name:[#\;]) state=comment ;;
      before_name:*) state=name name=$character value='' quoted=0 ;;
      comment:$'\n' | name:$'\n') state=before_name ;;
      comment:*) ;;
      name:=) state=before_value ;;
      name:*) name+=$character ;;
      before_value:\') state=single_quotes ;;
      before_value:\") state=double_quotes ;;
      before_value:\\ | value:\\) state=escape ;;
      before_value:$'\n' | value:$'\n')
        set_variable "$name" "${value:0:quoted}$(without_end "${value:quoted}")"
        state=before_name
        ;;
      before_value:[[:space:]]) ;;
      before_value:* | value:*) state=value value+=$character ;;
      escape:$'\n') state=value ;;
      # An escaped space at the end stays.
      escape:*) state=value value+=$character quoted=${#value} ;;
      single_quotes:\' | double_quotes:\") state=before_value quoted=${#value} ;;
      double_quotes:\\) state=escape_in_quotes ;;
      escape_in_quotes:[\"\\\`$]) state=double_quotes value+=$character ;;
      escape_in_quotes:$'\n') state=double_quotes ;;
      escape_in_quotes:*) state=double_quotes value+=\\$character ;;
      *) value+=$character ;;
    esac
  done
}
without_end() { printf '%s' "${1%"${1##*[![:space:]]}"}"; }
set_variable() {
  local name
  name=$(without_end "$1")
  [[ $name =~ ^[A-Za-z_][A-Za-z0-9_]*$ ]] || return 0
  export "$name=$2"
}

# A secret that the caller has set counts, such as the DATABASE_URL of a restored database.
read_secret() {
  local name=$1 file=$settings/$2 of_caller=$1_FILE
  if [ -z "${!name:-}" ] && [ -z "${!of_caller:-}" ] && [ -e "$file" ]; then export "$name=$(< "$file")"; fi
}

[ "$(id -u)" = 0 ] || {
  echo 'credence: only root can read the settings and secrets. Run it as root.' >&2
  exit 1
}
given=(DATABASE_URL DATABASE_READ_URL OPT_OUT_KEY HOLDER_KEY)
if [ -e $settings/credence.env ]; then read_settings $settings/credence.env; fi
read_secret DATABASE_URL work-database-url
read_secret OPT_OUT_KEY opt-out-key
read_secret HOLDER_KEY holder-key
# Files of secrets that the caller names are read here: the program may not see them.
for name in "${given[@]}"; do
  file=${name}_FILE
  if [ -n "${!file:-}" ]; then
    export "$name=$(< "${!file}")"
    unset "$file"
  fi
done
export PATH=/opt/node/node_modules/.bin:/usr/local/bin:/usr/bin:/bin

# The folders in which it may write.
writable=()
allow() {
  local folder
  folder=$(realpath -e -- "$1" 2> /dev/null) || return 0
  [ "$folder" = / ] || writable+=(--bind "$folder" "$folder")
}
allow .
for argument in "$@"; do
  path=${argument#--*=}
  if [[ $path == */* ]]; then allow "$(dirname -- "$path")"; fi
done

# no_setuid_fixup: otherwise access(2) ignores the right.
keep=-all,+dac_override
exec bwrap --ro-bind / / --dev /dev --tmpfs /tmp "${writable[@]}" --tmpfs $settings --cap-add ALL \
  setpriv --reuid=$user --regid=$user --clear-groups --no-new-privs --securebits=+no_setuid_fixup \
  --inh-caps=$keep --ambient-caps=$keep --bounding-set=$keep \
  /opt/credence/node_modules/.bin/credence "$@"
