#!/bin/sh
# Installs haft from the folder of this script: the binary, its man pages and completions. `PREFIX` is where [~/.local].
#   ./install.sh              checks the checksums and copies
#   ./install.sh --uninstall  removes what it copied
set -eu

here=$(cd "$(dirname "$0")" && pwd)
prefix=${PREFIX:-${HOME:?PREFIX or HOME must be set}/.local}
bin=$prefix/bin
man=$prefix/share/man/man1
bash=$prefix/share/bash-completion/completions
zsh=$prefix/share/zsh/site-functions
fish=$prefix/share/fish/vendor_completions.d

case ${1-} in
"") ;;
--uninstall)
    for page in "$here"/man/*.1; do rm -f "$man/$(basename "$page")"; done
    rm -f "$bin/haft" "$bash/haft" "$zsh/_haft" "$fish/haft.fish"
    echo "removed from $prefix; the configuration and the record are left in their folders"
    exit
    ;;
*)
    echo "usage: $0 [--uninstall]" >&2
    exit 2
    ;;
esac

(cd "$here" && if command -v sha256sum >/dev/null; then sha256sum --quiet -c SHA256SUMS; else shasum -a 256 -c SHA256SUMS >/dev/null; fi) || {
    echo "the files in $here are not those that were packed: nothing was installed" >&2
    exit 1
}
mkdir -p "$bin" "$man" "$bash" "$zsh" "$fish"
# Beside the old one and then in its place: a haft that runs keeps running.
cp "$here/haft" "$bin/.haft.new"
chmod 755 "$bin/.haft.new"
mv -f "$bin/.haft.new" "$bin/haft"
cp "$here"/man/*.1 "$man"
cp "$here/completions/haft.bash" "$bash/haft"
cp "$here/completions/haft.zsh" "$zsh/_haft"
cp "$here/completions/haft.fish" "$fish/haft.fish"
echo "installed $("$bin/haft" --version) in $bin"
case ":${PATH-}:" in
*":$bin:"*) ;;
*) echo "add $bin to your PATH" ;;
esac
echo "next: haft doctor, haft setup"
