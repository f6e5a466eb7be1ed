#!/usr/bin/env bash
# Installs the Debian packages of a list that are missing. Quiet and instant when nothing is.
# usage: tools/install_deps.sh [LIST]...    (default: tools/packages.txt)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
lists=("$@")
[ ${#lists[@]} -gt 0 ] || lists=("$here/packages.txt")

missing=()
for package in $(sed 's/#.*//' "${lists[@]}"); do
  status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
  [ "$status" = "install ok installed" ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

echo "installing ${#missing[@]} packages: ${missing[*]}"
install=(apt-get install -y --no-install-recommends "${missing[@]}")
export DEBIAN_FRONTEND=noninteractive
if [ "$(id -u)" -eq 0 ]; then
  apt-get update -qq && "${install[@]}" >/dev/null
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
  sudo apt-get update -qq && sudo "${install[@]}" >/dev/null
else
  echo "error: these packages need root to install; run:" >&2
  echo "  sudo apt-get update && sudo ${install[*]}" >&2
  exit 1
fi
