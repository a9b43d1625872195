//! `sed` and `awk`: filters whose script may run commands and write files.

use tools_core::Access;

use crate::reader::Value;
use crate::registry::prelude::*;

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["sed", "gsed"],
        flags: "-n|--quiet|--silent -E|-r|--regexp-extended -s|--separate -u|--unbuffered -z|--null-data|--zero-terminated --posix \
                    --debug --sandbox --follow-symlinks -b|--binary -a",
        valued: "-e|--expression -f|--file -l|--line-length",
        optional: "-i|--in-place",
        rules: &[
            always(Evaluates(Language::Sed, At::Value("--expression"))),
            always(RunsScript(At::Value("--file"))),
            when(Lacks("--expression --file --help --version"), Evaluates(Language::Sed, At::Nth(0))),
            always(By(edited)),
        ],
        is_exhaustive: true,
        edits: true,
        examples: &[
            ("sed '1e sudo id' f", Expect::Opaque("`e` of `sed`")),
            ("sed -n 's/a/b/e' f", Expect::Opaque("`e` of `sed`")),
            ("sed -ne'1e id' f", Expect::Opaque("`e` of `sed`")),
            ("sed -Ee's/x/id/e' f", Expect::Opaque("`e` of `sed`")),
            ("cat x | xargs sed -i -e 's/a/b/'", Expect::Opaque("may be an option")),
            ("sed -e 'a\\' -e '/\ne id\n/p' f", Expect::Opaque("`e` of `sed`")),
            ("sed f -e '1e id'", Expect::Opaque("`e` of `sed`")),
            ("sed --expr='1e id' f", Expect::Opaque("`e` of `sed`")),
            ("sed -f - f < x", Expect::Opaque("from a descriptor")),
            ("sed -f <(echo x) f", Expect::Opaque("known only when it runs")),
            ("sed -f/dev/stdin f <<< x", Expect::Opaque("from a descriptor")),
            ("sed \"$x\" f", Expect::Opaque("known only when it runs")),
            ("sed 's/a/b/w .envrc' x", Expect::Writes(".envrc")),
            ("sed -i 's/a/b/' .envrc", Expect::Writes(".envrc")),
            ("sed -i.bak -e 's/a/b/' .envrc", Expect::Writes(".envrc")),
            ("sed -n 1,5p src/x.rs", Expect::Reads("src/x.rs")),
        ],
        plain_lines: &[
            "find . -type f | xargs sed -i.bak -e 's/a/b/'", "sed -n 1,5p src/x.rs", "sed -i -e 's/a/b/' f",
            "sed '/^$/d; s/ *$//' x",
        ],
        ..Program::GNU
    },
    Program {
        family: &["awk", "gawk", "mawk", "nawk", "original-awk", "bwk", "goawk"],
        flags: "-b|--characters-as-bytes -c|--traditional -C|--copyright -g|--gen-pot -h -I|--trace -k|--csv -M|--bignum \
                    -N|--use-lc-numeric -n|--non-decimal-data -O|--optimize -P|--posix -r|--re-interval -s|--no-optimize -S|--sandbox \
                    -t|--lint-old -V",
        valued: "-F|--field-separator -v|--assign -f|--file -E|--exec -e|--source -i|--include -l|--load -W",
        optional: "-d|--dump-variables -D|--debug -L|--lint -o|--pretty-print -p|--profile",
        rules: &[
            always(Evaluates(Language::Awk, At::Value("--source"))),
            always(RunsScript(At::Value("--file --exec --include"))),
            when(Has("--load"), Hides("a library that is loaded first")),
            when(Has("-W"), Hides("an option of the old form")),
            when_all(&[Has("--debug"), Fed], Hides("a debugger that runs what it reads")),
            when(Lacks("--source --file --exec --version -V --help -h"), Evaluates(Language::Awk, At::Nth(0))),
            when_all(
                &[Lacks("--source --file --exec --version -V --help -h"), AtMost(0)],
                Hides("a program that is not found among its arguments"),
            ),
            // File names with a brace are rare; a text that looks like code is read as code.
            when_all(&[Has("--source --file --exec"), OperandHas("{")], Evaluates(Language::Awk, At::Nth(0))),
            always(Writes(At::Value("-d -o -p"))),
            when(ArgumentCondition::Value("--include", "inplace"), Writes(At::From(1))),
            when(Lacks("--source --file --exec"), By(data)),
        ],
        is_exhaustive: true,
        edits: true,
        examples: &[
            ("awk 'BEGIN{system(\"id\")}'", Expect::Opaque("system(")),
            ("awk '{print | \"id\"}' x", Expect::Opaque("a pipe")),
            ("awk 'BEGIN{print \";\" | \"id\"}'", Expect::Opaque("a pipe")),
            ("awk -F: -v x=1 'BEGIN{\"id\"|getline}'", Expect::Opaque("a pipe")),
            ("awk --assi{=x,} 'BEGIN{system(\"id\")}'", Expect::Opaque("not found among")),
            ("awk -f <(echo x)", Expect::Opaque("known only when it runs")),
            ("awk -f /dev/stdin <<< x", Expect::Opaque("from a descriptor")),
            ("gawk -l filefuncs 1", Expect::Opaque("loaded first")),
            ("awk --odd 'BEGIN{x}'", Expect::Opaque("`--odd` of `awk`")),
            ("awk \"$x\" f", Expect::Opaque("known only when it runs")),
            ("awk '{print > \".envrc\"}' x", Expect::Writes(".envrc")),
            ("awk '{print > \"\\056envrc\"}' x", Expect::Writes("$file")),
            ("awk '{print $1}' src/x", Expect::Reads("src/x")),
            ("gawk -i inplace '{print}' x", Expect::Writes("x")),
            ("awk -f x 'BEGIN{system(\"id\")}'", Expect::Opaque("system(")),
        ],
        plain_lines: &[
            "awk -F, 'NR>1 {sum+=$3} END {print sum}' data.csv", "awk '{printf \"%s|\", $0}' f",
            "awk -f script.awk data.txt",
        ],
        ..Program::LEADING
    },
];

/// The files that `sed` reads or edits in place, and its scripts joined into one.
fn edited(parsed: &Parsed<'_>) -> Vec<Effect> {
    let from = usize::from(!parsed.has("--expression --file"));
    let access = if parsed.has("--in-place") { Access::Write } else { Access::Read };
    let files = parsed.operands().skip(from).cloned().map(|file| Effect::path(file, access));
    // The text of `a\` may continue in the next script.
    let scripts: Vec<&str> = parsed.values("--expression").map(|script| script.text.as_str()).collect();
    let whole = (scripts.len() > 1).then(|| Effect::Code(Language::Sed, Value::exact(scripts.join("\n"))));
    files.chain(whole).collect()
}

/// The files that `awk` reads: operands that do not set a variable.
fn data(parsed: &Parsed<'_>) -> Vec<Effect> {
    let files = parsed.operands().skip(1).filter(|operand| !operand.text.contains('=') && operand.text != "-");
    files.cloned().map(|file| Effect::path(file, Access::Read)).collect()
}
