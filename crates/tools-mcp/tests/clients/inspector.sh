#!/bin/sh
# Drives a server with the official MCP inspector in command-line mode: lists the tools and runs bash, read, edit and
# grep on a git repository. Each call is a connection of its own.
#
# usage: inspector.sh COMMAND...      `{root}` and `{config}` in COMMAND are replaced, see repository.sh
# INSPECTOR names the inspector's program (default: mcp-inspector on the PATH); it needs Node 22.19 or newer.
# Prints a PASS or FAIL line per check; the exit code is 0 when all passed.
set -u
[ $# -gt 0 ] || { sed -n '2,8p' "$0"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
inspector=${INSPECTOR:-mcp-inspector}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sh "$here/repository.sh" "$work" || exit 2
# The command goes into a program of its own: the inspector takes options such as `--config` for its own.
{
    printf '#!/bin/sh\nexec'
    for part in "$@"; do
        printf " '%s'" "$(printf '%s' "$part" | sed -e "s|{root}|$work/repo|g" -e "s|{config}|$work/config.toml|g" -e "s|'|'\\\\''|g")"
    done
    printf '\n'
} > "$work/server"
chmod +x "$work/server"
set -- "$work/server"
failures=0
# check NAME EXPECTED: the last output holds the text EXPECTED
check() {
    if grep -qF -- "$2" "$work/out"; then
        echo "PASS $1"
    else
        echo "FAIL $1: $(head -c 600 "$work/out" "$work/err")"
        failures=$((failures + 1))
    fi
}
inspect() { (cd "$work/repo" && timeout 60 $inspector --cli "$@" > "$work/out" 2> "$work/err" < /dev/null); }

inspect "$@" --method tools/list
for tool in bash read edit grep; do check "inspector lists $tool" "\"name\": \"$tool\""; done
check "inspector sees annotations" '"readOnlyHint": true'
inspect "$@" --method tools/call --tool-name bash --tool-arg 'command=git log --oneline'
check "inspector bash" 'add two files'
inspect "$@" --method tools/call --tool-name read --tool-arg path=README.md
check "inspector read" 'A repository of two files.'
inspect "$@" --method tools/call --tool-name edit --tool-arg path=README.md --tool-arg 'old_string=two files' --tool-arg 'new_string=many files'
cp "$work/repo/README.md" "$work/out"
check "inspector edit reached the file" 'many files'
inspect "$@" --method tools/call --tool-name grep --tool-arg pattern=needle
check "inspector grep" 'main.rs'
inspect "$@" --method tools/call --tool-name read --tool-arg path=missing.txt
check "inspector shows a failure" '[tool_error]'
[ "$failures" -eq 0 ]
