#!/bin/sh
# Makes the git repository that the client scripts work on, and a configuration that lets them work without questions.
# usage: repository.sh DIR  ->  DIR/repo, DIR/config.toml
set -eu
mkdir -p "$1/repo/src"
cd "$1/repo"
git init -q .
printf '# Sample\n\nA repository of two files.\n' > README.md
printf 'fn main() {\n    println!("needle in a haystack");\n}\n' > src/main.rs
git add .
git -c user.name=sample -c user.email=sample@example.com commit -q -m 'add two files'
for tool in bash read edit grep; do
    printf '[[tools.permissions.%s]]\npattern = "*"\naction = "allow"\n' "$tool"
done > "$1/config.toml"
