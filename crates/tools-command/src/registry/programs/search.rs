//! Programs that search text in files and folders, and programs that query structured files.

use crate::reader::Value;
use crate::registry::prelude::*;
use tools_core::Access;

/// Options of `grep` and similar programs with which the first operand is not the pattern.
const PATTERN: &str = "--regexp --file --files --type-list";

pub(super) static ALL: &[Program] = &[
    Program {
        family: &["grep", "egrep", "fgrep", "zgrep", "bzgrep", "xzgrep", "zstdgrep", "ggrep"],
        flags: "-E|--extended-regexp -F|--fixed-strings -G|--basic-regexp -P|--perl-regexp -i|-y|--ignore-case --no-ignore-case \
                    -v|--invert-match -w|--word-regexp -x|--line-regexp -c|--count -L|--files-without-match -l|--files-with-matches \
                    -o|--only-matching -q|--quiet|--silent -s|--no-messages -b|--byte-offset -H|--with-filename -h|--no-filename \
                    -n|--line-number -T|--initial-tab -Z|--null -a|--text -I -R|--dereference-recursive -r|--recursive \
                    --line-buffered -U|--binary -u|--unix-byte-offsets -z|--null-data -# -V --no-group-separator",
        valued: "-e|--regexp -f|--file -m|--max-count --label -A|--after-context -B|--before-context -C|--context \
                     --binary-files -D|--devices -d|--directories --exclude --exclude-from --exclude-dir --include --group-separator",
        optional: "--color|--colour",
        rules: &[
            when(Lacks(PATTERN), ReadsTrees(At::From(1))),
            when(Has(PATTERN), ReadsTrees(At::All)),
            when_all(
                &[Has("--recursive --dereference-recursive"), AtMost(1), Lacks(PATTERN)],
                ReadsTrees(At::Path(".")),
            ),
            always(Reads(At::Value("--file --exclude-from"))),
        ],
        is_exhaustive: true,
        prints: &[("grep egrep fgrep", Prints::Lines("-l -L -rl -lr -Rl -lR -ril -lir -rlZ -lZ --files-with-matches"))],
        prints_as: &[("egrep fgrep zgrep bzgrep xzgrep zstdgrep ggrep", "grep")],
        examples: &[
            ("grep -rn 'sudo\\|curl' private", Expect::Reads("private")),
            ("grep -e x -- private/x", Expect::Reads("private/x")),
            ("grep -ie x private/x", Expect::Reads("private/x")),
            ("grep -f private/x y", Expect::Reads("private/x")),
            ("grep -r x", Expect::Reads(".")),
            ("grep --odd /bin/sh x", Expect::Opaque("may run")),
        ],
        plain_lines: &["grep /bin/sh /etc/passwd"],
        ..Program::GNU
    },
    Program {
        family: &["rg", "ripgrep", "ag", "ack", "ugrep"],
        flags: "-F|--fixed-strings -i|--ignore-case -s|--case-sensitive -S|--smart-case -v|--invert-match -w|--word-regexp -x|--line-regexp \
                    -c|--count --count-matches -l|--files-with-matches --files-without-match -L|--follow -o|--only-matching -q|--quiet \
                    -n|--line-number -N|--no-line-number -H|--with-filename -I|--no-filename -p|--pretty -u|--unrestricted -U|--multiline \
                    --multiline-dotall -P|--pcre2 -z|--search-zip -a|--text -0|--null --hidden|-. --no-ignore --no-ignore-vcs --no-ignore-parent --no-ignore-dot \
                    --no-ignore-global --no-ignore-exclude --no-ignore-files --no-hidden --files --type-list --json --heading --no-heading --column --no-column --trim --vimgrep --stats --debug \
                    --passthru --passthrough --no-messages --no-config --crlf --glob-case-insensitive --one-file-system --line-buffered \
                    --block-buffered --include-zero --no-mmap --mmap --byte-offset -b --null-data --binary --version --pcre2-version --no-pager --nopager --color --nocolor --noheading --sort-files --no-unicode -#",
        valued: "-e|--regexp -f|--file -g|--glob --iglob -t|--type -T|--type-not --type-add --type-clear -m|--max-count -A|--after-context \
                     -B|--before-context -C|--context -j|--threads -M|--max-columns -d|--max-depth --maxdepth -E|--encoding -r|--replace \
                     --sort --sortr --colors --context-separator --field-context-separator --field-match-separator --path-separator \
                     --max-filesize --dfa-size-limit --regex-size-limit --engine --ignore-file --pre --pre-glob --hostname-bin \
                     --hyperlink-format --generate --pager --ignore-dir --ignore --stop-after",
        rules: &[
            when(Lacks(PATTERN), ReadsTrees(At::From(1))),
            when(Has(PATTERN), ReadsTrees(At::All)),
            when_all(&[AtMost(1), Lacks(PATTERN)], ReadsTrees(At::Path("."))),
            always(Reads(At::Value("--file --ignore-file"))),
            always(RunsLineWithMore(At::Value("--pre --hostname-bin --pager"))),
            when(Has("--pre --hostname-bin --pager"), Hides("a search that runs a program for each file")),
        ],
        prints: &[("rg", Prints::NamesWith("-l --files --files-with-matches"))],
        examples: &[
            ("rg --pre rm x", Expect::Opaque("a search that runs")),
            ("rg --pre=rm x", Expect::Runs("rm $@")),
            ("ag --pager sh x", Expect::Opaque("a search that runs")),
            ("rg -n x private", Expect::Reads("private")),
        ],
        plain_lines: &["rg -n 'eval\\(' --type js", "rg 'foo' -g '*.rs' src"],
        ..Program::EXACT
    },
    Program {
        family: &["jq", "gojq", "jaq"],
        flags: "-n|--null-input -r|--raw-output -R|--raw-input -s|--slurp -c|--compact-output -C|--color-output -M|--monochrome-output \
                    --tab -a|--ascii-output --unbuffered -S|--sort-keys -e|--exit-status -j|--join-output --seq --stream --stream-errors \
                    --args --jsonargs --raw-output0 -h -V",
        valued: "-f|--from-file -L --indent --arg --argjson --slurpfile --rawfile --argfile",
        rules: &[always(ByOption(queried))],
        is_exhaustive: true,
        prints: &[("jq", Prints::Contents)],
        examples: &[
            ("jq .a private/x.json", Expect::Reads("private/x.json")),
            ("jq --slurpfile a private/x .a y", Expect::Reads("private/x")),
            ("jq --arg a b '.x[$a]' private/y", Expect::Reads("private/y")),
            ("jq -f private/x y", Expect::Reads("private/x")),
        ],
        plain_lines: &["jq '.a | .b[]' x.json"],
        ..Program::EXACT
    },
    Program {
        family: &["yq", "dasel", "tomlq", "xq"],
        flags: "-i|--inplace|--in-place -n|--null-input -P|--prettyPrint -C|--colors -M|--no-colors -N|--no-doc -e|--exit-status -j|--tojson -r|--unwrapScalar|--raw-output \
                    -y|--yaml-output -Y --slurp -c|--compact-output -h|--help -v|--verbose -V|--version -t|--toml-output",
        valued: "-I|--indent -o|--output-format -p|--input-format --from-file --expression -s|--split-exp --split-exp-file -f|--file --arg --argjson \
                     --header-preprocess -w|--write",
        rules: &[
            always(Reads(At::All)),
            always(Reads(At::Value("--from-file --file"))),
            when(Has("--inplace"), Writes(At::All)),
            // A query gives the names of its output files.
            when(Has("--split-exp --split-exp-file"), Writes(At::Path("."))),
            always(By(loaded)),
        ],
        subcommands: &[each("eval|e eval-all|ea"), ruled("shell-completion", &[])],
        edits: true,
        examples: &[
            ("yq -i '.a=1' .github/x.yml", Expect::Writes(".github/x.yml")),
            ("yq -s .a x.yml", Expect::Writes(".")),
            ("yq eval -Pi .a x.yml", Expect::Writes("x.yml")),
            ("yq '.a' x.yml", Expect::Reads("x.yml")),
            ("yq '.a = load(\"private/x\")' x.yml", Expect::Reads("private/x")),
            ("yq -n --expression='load_str ( \"/etc/passwd\" )'", Expect::Reads("/etc/passwd")),
            ("yq 'load(.a)' x.yml", Expect::Opaque("a query that reads or runs")),
            ("yq -n \"load(\\\"$x\\\")\"", Expect::Opaque("a query that reads or runs")),
            ("yq -n 'load(\"a\\(.x)\")'", Expect::Opaque("a query that reads or runs")),
            ("yq -n 'system(\"id\")'", Expect::Opaque("a query that reads or runs")),
            ("yq 'eval(.a)' x.yml", Expect::Opaque("a query that reads or runs")),
        ],
        plain_lines: &[
            "yq -o json '.a' x.yml", "yq '.payload, .workload(1), .eval' x.yml", "yq -n '.a = load(\"b.yml\")'",
            "yq -n '.a = strenv(B)'",
        ],
        ..Program::EXACT
    },
];

/// The files that operators in a `yq` query read, if the operator's argument is a literal.
fn loaded(parsed: &Parsed<'_>) -> Vec<Effect> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    let calls =
        parsed.command.args.iter().flat_map(|query| query.text.match_indices('(').map(move |(at, _)| (query, at)));
    let effect = |(query, at): (&Value, usize)| {
        let before = query.text[..at].trim_end();
        let name = &before[before.trim_end_matches(is_part).len()..];
        let text = query.text[at + 1..].trim_start().strip_prefix('"').and_then(|rest| rest.split_once('"'));
        let file = text.filter(|(file, rest)| !file.contains('\\') && rest.trim_start().starts_with(')'));
        match (name, file) {
            (name, Some((file, _))) if name.starts_with("load") && query.is_exact => {
                Some(Effect::path(Value::exact(file), Access::Read))
            }
            ("system" | "eval", _) => Some(Effect::hidden(READS_MORE)),
            (name, _) if name.starts_with("load") => Some(Effect::hidden(READS_MORE)),
            _ => None,
        }
    };
    calls.filter_map(effect).collect()
}

const READS_MORE: &str = "a query that reads or runs more than it is given";

/// The files of a query: the first operand is the query, and some options take a name and a value.
fn queried(parsed: &Parsed<'_>) -> Vec<Effect> {
    let named = "--arg --argjson --slurpfile --rawfile --argfile";
    let args = &parsed.command.args;
    let values: Vec<usize> = parsed.given(named).map(|given| given.at + 2).collect();
    let files = parsed.given("--slurpfile --rawfile --argfile").filter_map(|given| args.get(given.at + 2));
    let operands = parsed.operands.iter().filter(|at| !values.contains(at));
    let is_query_given = parsed.has("--from-file");
    let operands = operands.skip(usize::from(!is_query_given)).map(|at| &args[*at]);
    let data = parsed.has("--args --jsonargs");
    let operands = operands.filter(|_| !data);
    let scripts = parsed.values("--from-file");
    files.chain(operands).chain(scripts).map(|path| Effect::path(path.clone(), Access::Read)).collect()
}
