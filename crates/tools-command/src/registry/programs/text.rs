//! Programs that read files and print results from them, some of which can write the result to a
//! file.

use crate::registry::prelude::*;
use tools_core::Access;

const READS: &[Rule] = &[always(Reads(At::All)), always(Reads(At::Value("--format-file")))];

/// A program that reads its operands, and whose other options name no files.
const fn reader(
    names: &'static [&'static str],
    valued: &'static str,
    examples: &'static [Example],
    plain_lines: &'static [&'static str],
) -> Program {
    Program {
        family: names,
        flags: "-*",
        valued,
        rules: READS,
        is_exhaustive: true,
        examples,
        plain_lines,
        ..Program::GNU
    }
}

pub(super) static ALL: &[Program] = &[
    Program {
        family: &[
            "cat", "tac", "rev", "wc", "nl", "cksum", "sum", "md5sum", "sha1sum", "sha224sum", "sha256sum",
            "sha384sum", "sha512sum", "b2sum", "md5", "shasum", "tsort", "expand", "unexpand", "zcat", "bzcat",
            "xzcat", "lzcat", "zstdcat", "gzcat", "comm", "cmp", "vdir", "dir", "ls", "exa", "eza", "lsd", "tokei",
            "scc", "look", "ul", "colrm", "col",
        ],
        flags: "-*",
        valued: "--tabsize --block-size --hide --ignore --indicator-style --quoting-style --sort --time --time-style --width \
                     --format --tabs --files0-from --number-separator --body-numbering --number-format --algorithm --output-delimiter",
        rules: &[always(Reads(At::All)), always(Reads(At::Value("--files0-from")))],
        is_exhaustive: true,
        prints: &[("ls", Prints::FoundNames), ("tac", Prints::Lines("")), ("cat", Prints::Contents)],
        examples: &[
            ("cat private/x", Expect::Reads("private/x")),
            ("cat -n private/x", Expect::Reads("private/x")),
            ("wc -l --files0-from=private/x", Expect::Reads("private/x")),
        ],
        plain_lines: &["ls -la --color=never src", "ls /bin/sh"],
        ..Program::EXACT
    },
    Program {
        prints: &[("head tail", Prints::Lines(""))],
        ..reader(
            &["head", "tail"],
            "-n|--lines -c|--bytes --pid --max-unchanged-stats -s|--sleep-interval",
            &[("head -n 5 private/x", Expect::Reads("private/x")), ("tail -f private/x", Expect::Reads("private/x"))],
            &["head -c 100 x"],
        )
    },
    Program {
        prints: &[("cut", Prints::Contents)],
        ..reader(
            &["cut"],
            "-b|--bytes -c|--characters -d|--delimiter -f|--fields --output-delimiter",
            &[("cut -d / -f1 private/x", Expect::Reads("private/x"))],
            &["cut -f1 -d, x"],
        )
    },
    reader(&["paste"], "-d|--delimiters", &[("paste -d / private/x", Expect::Reads("private/x"))], &["paste -sd, x"]),
    reader(
        &["fold", "fmt"],
        "-w|--width -p|--prefix -g|--goal",
        &[("fold -w 80 private/x", Expect::Reads("private/x"))],
        &["fmt -w 80 x"],
    ),
    reader(
        &["pr"],
        "-D|--date-format -h|--header -l|--length -o|--indent -w|--width -W|--page-width -N --first-line-number",
        &[("pr -h title private/x", Expect::Reads("private/x"))],
        &["pr -2 x"],
    ),
    reader(
        &["join"],
        "-1 -2 -a -e -j -o -t -v",
        &[("join -t / -1 2 a private/x", Expect::Reads("private/x"))],
        &["join a b"],
    ),
    reader(
        &["od"],
        "-A|--address-radix -j|--skip-bytes -N|--read-bytes -t|--format --endian",
        &[("od -A x -t x1 private/x", Expect::Reads("private/x"))],
        &["od -c x"],
    ),
    reader(
        &["hexdump", "hd"],
        "-n|--length -s|--skip -e|--format -f|--format-file",
        &[("hexdump -C private/x", Expect::Reads("private/x")), ("hexdump -f private/f x", Expect::Reads("private/f"))],
        &["hexdump -C -n 64 x"],
    ),
    Program {
        family: &["base64", "base32", "basenc"],
        flags: "-*",
        valued: "-w|--wrap -b|--break -o|--output",
        optional: "",
        rules: &[always(Reads(At::All)), always(Writes(At::Value("--output")))],
        is_exhaustive: true,
        examples: &[
            ("base64 -d private/x", Expect::Reads("private/x")),
            ("base64 -w 0 private/x", Expect::Reads("private/x")),
            ("base64 x -o y", Expect::Writes("y")),
        ],
        plain_lines: &["base64 x"],
        ..Program::GNU
    },
    reader(
        &["column"],
        "-s|--separator -o|--output-separator -c|--output-width -N|--table-columns -n|--table-name -R|--table-right \
                         -H|--table-hide -O|--table-order -E|--table-noextreme -W|--table-wrap -T|--table-truncate",
        &[("column -t -s , private/x", Expect::Reads("private/x"))],
        &["column -t"],
    ),
    Program {
        family: &["diff", "colordiff", "delta", "icdiff", "wdiff", "diff3", "sdiff", "zdiff", "zcmp"],
        flags: "-*",
        valued: "-I|--ignore-matching-lines -F|--show-function-line --label -L -x|--exclude -X|--exclude-from -S|--starting-file \
                     --from-file --to-file -W|--width --tabsize -o|--output --diff-program --pager -D|--ifdef --horizon-lines",
        optional: "-U|--unified -C|--context --color",
        rules: &[
            always(ReadsTrees(At::All)),
            always(Reads(At::Value("--exclude-from --from-file --to-file"))),
            always(Writes(At::Value("--output"))),
            always(RunsLineWithMore(At::Value("--diff-program --pager"))),
        ],
        examples: &[
            ("diff -u a private/x", Expect::Reads("private/x")),
            ("diff --from-file=private/x a", Expect::Reads("private/x")),
            ("sdiff -o out a b", Expect::Writes("out")),
            ("sdiff --diff-prog='rm -rf x' a b", Expect::Runs("rm -rf x $@")),
        ],
        plain_lines: &["diff -ru a b"],
        ..Program::GNU
    },
    Program {
        names: &["sort"],
        flags: "-b|--ignore-leading-blanks -d|--dictionary-order -f|--ignore-case -g|--general-numeric-sort -i|--ignore-nonprinting \
                    -M|--month-sort -h|--human-numeric-sort -n|--numeric-sort -R|--random-sort -r|--reverse -V|--version-sort \
                    -c -C -m|--merge -s|--stable -u|--unique -z|--zero-terminated --debug",
        valued: "-k|--key -o|--output -S|--buffer-size -t|--field-separator -T|--temporary-directory --batch-size \
                     --compress-program --files0-from --parallel --random-source --sort",
        optional: "--check",
        rules: &[
            always(Reads(At::All)),
            always(Reads(At::Value("--files0-from --random-source"))),
            always(Writes(At::Value("--output"))),
            always(RunsLineWithMore(At::Value("--compress-program"))),
        ],
        is_exhaustive: true,
        prints: &[("sort", Prints::Lines(""))],
        examples: &[
            ("sort -uo .envrc x", Expect::Writes(".envrc")),
            ("sort --outp=.envrc x", Expect::Writes(".envrc")),
            ("sort x -o y", Expect::Writes("y")),
            ("sort --compress-prog sh x", Expect::Opaque("known only when it runs")),
        ],
        plain_lines: &["sort -t, -k2 -rn x"],
        ..Program::GNU
    },
    Program {
        names: &["shuf"],
        flags: "-e|--echo -r|--repeat -z|--zero-terminated",
        valued: "-i|--input-range -n|--head-count -o|--output --random-source",
        rules: &[
            when(Lacks("--echo"), Reads(At::All)),
            always(Reads(At::Value("--random-source"))),
            always(Writes(At::Value("--output"))),
        ],
        is_exhaustive: true,
        examples: &[("shuf -o x y", Expect::Writes("x"))],
        plain_lines: &["shuf -n 3 x"],
        ..Program::GNU
    },
    Program {
        names: &["uniq"],
        flags: "-c|--count -d|--repeated -D -i|--ignore-case -u|--unique -z|--zero-terminated -#",
        valued: "-f|--skip-fields -s|--skip-chars -w|--check-chars",
        optional: "--all-repeated --group",
        rules: &[always(Reads(At::Nth(0))), always(Writes(At::Nth(1)))],
        is_exhaustive: true,
        prints: &[("uniq", Prints::Lines(""))],
        examples: &[("uniq -c x .envrc", Expect::Writes(".envrc"))],
        plain_lines: &["uniq -c x"],
        ..Program::GNU
    },
    Program {
        family: &["tee", "sponge"],
        flags: "-a|--append -i|--ignore-interrupts -p",
        optional: "--output-error",
        rules: &[always(Writes(At::All))],
        is_exhaustive: true,
        examples: &[
            ("tee -a a b", Expect::Writes("b")),
            ("for f in .*; do tee $f; done < x", Expect::Writes(".*")),
            ("if true; then f=.envrc; fi; tee \"$f\"", Expect::Writes(".envrc")),
            ("sponge x", Expect::Writes("x")),
        ],
        ..Program::GNU
    },
    Program {
        names: &["csplit"],
        flags: "-k|--keep-files -s|-q|--quiet|--silent -z|--elide-empty-files --suppress-matched",
        valued: "-b|--suffix-format -f|--prefix -n|--digits",
        rules: &[always(Reads(At::Nth(0))), always(Writes(At::Value("--prefix")))],
        examples: &[("csplit -f out x /re/", Expect::Writes("out")), ("csplit x /re/", Expect::Reads("x"))],
        ..Program::GNU
    },
    Program {
        names: &["split"],
        flags: "-e|--elide-empty-files -u|--unbuffered --verbose",
        valued: "-a|--suffix-length --additional-suffix -b|--bytes -C|--line-bytes --filter -l|--lines -n|--number \
                     -t|--separator",
        optional: "-d|--numeric-suffixes -x|--hex-suffixes",
        rules: &[always(Reads(At::Nth(0))), always(Writes(At::Nth(1))), always(RunsLine(At::Value("--filter")))],
        examples: &[
            ("split --filter='rm -rf y' x", Expect::Runs("rm -rf y")),
            ("split --fil=/bin/sh x", Expect::Runs("/bin/sh")),
            ("split -l 100 x out", Expect::Writes("out")),
        ],
        ..Program::GNU
    },
    Program {
        names: &["xxd"],
        flags: "-a -b -C -d -e -E -h -i -p|-ps|-plain -r|-revert -u -v -version",
        valued: "-c|-cols -g -l|-len -n -o -s|-seek -R",
        rules: &[always(Reads(At::Nth(0))), always(Writes(At::Nth(1)))],
        is_exhaustive: true,
        examples: &[("xxd -r x .envrc", Expect::Writes(".envrc")), ("xxd -l 64 x", Expect::Reads("x"))],
        plain_lines: &["xxd -r -p x"],
        ..Program::SINGLE
    },
    Program {
        family: &["iconv", "recode", "dos2unix", "unix2dos", "mac2unix"],
        flags: "-*",
        valued: "-f|--from-code -t|--to-code -o|--output -c|--convmode",
        rules: &[always(Reads(At::All)), always(Writes(At::Value("--output"))), always(By(converted))],
        examples: &[("iconv -f latin1 -t utf8 x -o y", Expect::Writes("y")), ("dos2unix x", Expect::Writes("x"))],
        plain_lines: &["iconv -f latin1 x"],
        ..Program::EXACT
    },
    Program {
        family: &["du", "df", "tree", "ncdu", "dust", "duf"],
        flags: "-*",
        valued: "-B|--block-size -d|--max-depth --files0-from -t|--type -X|--exclude-from --exclude -L -P -I -o|--output-file \
                     --filelimit --charset --sort --timefmt -H -T",
        optional: "--time --output",
        rules: &[
            always(Reads(At::All)),
            always(Reads(At::Value("--files0-from --exclude-from"))),
            always(Writes(At::Value("-o"))),
        ],
        examples: &[("tree -o .envrc", Expect::Writes(".envrc")), ("du -sh private", Expect::Reads("private"))],
        plain_lines: &["tree -L 2 -I 'target|node_modules'"],
        ..Program::EXACT
    },
];

/// Effects of programs that replace a file with their result.
fn converted(parsed: &Parsed<'_>) -> Vec<Effect> {
    if parsed.command.name() == "iconv" {
        return Vec::new();
    }
    parsed.operands().cloned().map(|path| Effect::path(path, Access::Write)).collect()
}
