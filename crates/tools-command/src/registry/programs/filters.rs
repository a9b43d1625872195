//! `sed` and `awk`: filters whose script may run commands and write files.

use tools_core::Access;

use crate::code::Language;
use crate::effect::Effect;
use crate::registry::{
    ArgumentCondition::{self, AtMost, Fed, Has, Lacks, OperandHas},
    At, Does, Expect, Parsed, Program, Syntax, always, when,
};

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["sed", "gsed"],
        syntax: Syntax {
            flags: "-n|--quiet|--silent -E|-r|--regexp-extended -s|--separate -u|--unbuffered -z|--null-data|--zero-terminated --posix \
                    --debug --sandbox --follow-symlinks -b|--binary -a",
            valued: "-e|--expression -f|--file -l|--line-length",
            optional: "-i|--in-place",
            ..Syntax::GNU
        },
        rules: &[
            always(Does::Evaluates(Language::Sed, At::Value("--expression"))),
            always(Does::RunsScript(At::Value("--file"))),
            when(&[Lacks("--expression --file --help --version")], Does::Evaluates(Language::Sed, At::Nth(0))),
            always(Does::By(edited)),
        ],
        is_exhaustive: true,
        examples: &[
            ("sed '1e sudo id' f", Expect::Opaque("`e` of `sed`")),
            ("sed -n 's/a/b/e' f", Expect::Opaque("`e` of `sed`")),
            ("sed -ne'1e id' f", Expect::Opaque("`e` of `sed`")),
            ("sed -Ee's/x/id/e' f", Expect::Opaque("`e` of `sed`")),
            ("find . -type f | xargs sed -i.bak -e 's/a/b/'", Expect::Plain),
            ("cat x | xargs sed -i -e 's/a/b/'", Expect::Opaque("may be an option")),
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
            ("sed -n 1,5p src/x.rs", Expect::Plain),
            ("sed -i -e 's/a/b/' f", Expect::Plain),
            ("sed '/^$/d; s/ *$//' x", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["awk", "gawk", "mawk", "nawk", "original-awk", "bwk", "goawk"],
        is_family: true,
        syntax: Syntax {
            flags: "-b|--characters-as-bytes -c|--traditional -C|--copyright -g|--gen-pot -h -I|--trace -k|--csv -M|--bignum \
                    -N|--use-lc-numeric -n|--non-decimal-data -O|--optimize -P|--posix -r|--re-interval -s|--no-optimize -S|--sandbox \
                    -t|--lint-old -V",
            valued: "-F|--field-separator -v|--assign -f|--file -E|--exec -e|--source -i|--include -l|--load -W",
            optional: "-d|--dump-variables -D|--debug -L|--lint -o|--pretty-print -p|--profile",
            ..Syntax::LEADING
        },
        rules: &[
            always(Does::Evaluates(Language::Awk, At::Value("--source"))),
            always(Does::RunsScript(At::Value("--file --exec --include"))),
            when(&[Has("--load")], Does::Hides("a library that is loaded first")),
            when(&[Has("-W")], Does::Hides("an option of the old form")),
            when(&[Has("--debug"), Fed], Does::Hides("a debugger that runs what it reads")),
            when(&[Lacks("--source --file --exec --version -V --help -h")], Does::Evaluates(Language::Awk, At::Nth(0))),
            when(
                &[Lacks("--source --file --exec --version -V --help -h"), AtMost(0)],
                Does::Hides("a program that is not found among its arguments"),
            ),
            // A file whose name holds a brace is rare; what looks like code is read as code.
            when(&[Has("--source --file --exec"), OperandHas("{")], Does::Evaluates(Language::Awk, At::Nth(0))),
            always(Does::Writes(At::Value("-d -o -p"))),
            when(&[ArgumentCondition::Value("--include", "inplace")], Does::Writes(At::From(1))),
            when(&[Lacks("--source --file --exec")], Does::By(data)),
        ],
        is_exhaustive: true,
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
            ("awk '{print $1}' src/x", Expect::Reads("src/x")),
            ("awk -F, 'NR>1 {sum+=$3} END {print sum}' data.csv", Expect::Plain),
            ("awk '{printf \"%s|\", $0}' f", Expect::Plain),
            ("awk -f script.awk data.txt", Expect::Plain),
            ("gawk -i inplace '{print}' x", Expect::Writes("x")),
            ("awk -f x 'BEGIN{system(\"id\")}'", Expect::Opaque("system(")),
        ],
        ..Program::NEW
    },
];

/// The files that `sed` reads, and edits in place.
fn edited(parsed: &Parsed<'_>) -> Vec<Effect> {
    let from = usize::from(!parsed.has("--expression --file"));
    let access = if parsed.has("--in-place") { Access::Write } else { Access::Read };
    parsed.operands().skip(from).cloned().map(|file| Effect::path(file, access)).collect()
}

/// The files that `awk` reads: operands that set no variable.
fn data(parsed: &Parsed<'_>) -> Vec<Effect> {
    let files = parsed.operands().skip(1).filter(|operand| !operand.text.contains('=') && operand.text != "-");
    files.cloned().map(|file| Effect::path(file, Access::Read)).collect()
}
