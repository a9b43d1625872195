//! Archives and compressed files: the files that are packed, the folders they are unpacked to, and
//! the programs that are run along the way.

use crate::reader::Value;
use crate::registry::is_remote;
use crate::registry::prelude::*;
use tools_core::Access;

/// Options of `tar` whose value is a command to run.
const RUNS: &str = "--use-compress-program --to-command --rsh-command --rmt-command --info-script --checkpoint-action";
const HIDES: &str = "an archive that runs what an option says";
const ANYWHERE: &str = "an archive whose files may lie outside of the folder";

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["tar", "gtar", "bsdtar"],
        flags: "-A|--catenate|--concatenate -c|--create -d|--diff|--compare -r|--append -t|--list -u|--update -x|--extract|--get --delete --test-label -S|--sparse -k|--keep-old-files --keep-newer-files --overwrite --overwrite-dir \
                    --no-overwrite-dir -U|--unlink-first --recursive-unlink --remove-files -W|--verify -O|--to-stdout --ignore-failed-read -G|--incremental --check-device --no-check-device -n|--seek --skip-old-files -m|--touch \
                    -p|--preserve-permissions|--same-permissions --same-owner --no-same-owner --no-same-permissions --numeric-owner -s|--preserve-order --delay-directory-restore -M|--multi-volume -a|--auto-compress -j|--bzip2 -J|--xz \
                    --lzip --lzma --lzop -z|--gzip|--gunzip|--ungzip -Z|--compress|--uncompress --zstd --no-auto-compress -h|--dereference --hard-dereference --one-file-system -P|--absolute-names --anchored --ignore-case --no-anchored \
                    --no-ignore-case --no-wildcards --wildcards --no-wildcards-match-slash --wildcards-match-slash --exclude-backups --exclude-caches --exclude-caches-all --exclude-vcs --exclude-vcs-ignores --no-recursion --recursion --null --no-null \
                    --no-unquote --unquote -R|--block-number -v|--verbose --totals --utc --full-time --show-defaults --show-omitted-dirs --show-transformed-names -w|--interactive|--confirmation -o|--old-archive|--portability --posix --force-local \
                    -i|--ignore-zeros -B|--read-full-records -l|--check-links --no-xattrs --xattrs --selinux --acls --no-acls --no-selinux --clamp-mtime --restrict -?|--help --usage --keep-directory-symlink --verbatim-files-from -e -q|--fast-read -y",
        valued: "-f|--file -C|--directory|--cd -T|--files-from -X|--exclude-from --exclude --exclude-tag --exclude-tag-all --exclude-tag-under --exclude-ignore --exclude-ignore-recursive -b|--blocking-factor --record-size -H|--format \
                     -V|--label -I|--use-compress-program --to-command --rsh-command --rmt-command -F|--info-script|--new-volume-script --checkpoint-action -g|--listed-incremental -K|--starting-file -L|--tape-length -N|--newer|--after-date \
                     --newer-mtime --owner --group --owner-map --group-map --mode --mtime --sort --strip-components --transform|--xform --suffix --volno-file --index-file --level --pax-option --quoting-style --warning --xattrs-include --xattrs-exclude \
                     --include --options --uid --gid --uname --gname --passphrase --set-mtime-command --set-mtime-format --quote-chars --no-quote-chars",
        optional: "--atime-preserve --backup --checkpoint --occurrence --one-top-level --newer-mtime-than --totals-signal",
        rules: &[always(By(bundled))],
        examples: &[
            ("tar -I 'rm -rf x' -cf y z", Expect::Runs("rm -rf x $@")),
            // The dashes are the value of the option before them.
            ("tar -xf x --quote-chars -- --to-command=id", Expect::Runs("id")),
            ("tar xIf id x", Expect::Opaque(HIDES)),
            ("tar cf x $(echo --checkpoint=1 --checkpoint-action=exec=id) y", Expect::Opaque("may be an option")),
            ("tar cf x --$(echo checkpoint-action)=exec=id y", Expect::Opaque("may be an option")),
            ("tar cf x -$(echo I) id y", Expect::Opaque("may be an option")),
            ("tar cf x --exclude=$(echo a --to-command=id) y", Expect::Opaque("may be an option")),
            ("tar -xf a.tar --to-command='rm -rf x'", Expect::Runs("rm -rf x")),
            ("tar -xf a.tar --to-comm='rm -rf x'", Expect::Opaque(HIDES)),
            ("tar cf x --checkpoint=1 --checkpoint-action=exec=id y", Expect::Opaque(HIDES)),
            ("tar -cf x --rsh-command=./x h:y z", Expect::Opaque(HIDES)),
            ("tar cFf ./x y z", Expect::Opaque(HIDES)),
            ("tar -xf x.tar -C .git/hooks", Expect::Writes(".git/hooks")),
            ("tar xfC x.tar .git/hooks", Expect::Writes(".git/hooks")),
            ("tar -xf x.tar .envrc", Expect::Writes(".envrc")),
            ("tar czf a.tgz private", Expect::Reads("private")),
            ("tar -T private/x -cf y", Expect::Reads("private/x")),
            ("tar xPf x", Expect::Opaque(ANYWHERE)),
            ("bsdtar -xPf x", Expect::Opaque(ANYWHERE)),
            ("tar -xf x --absolute-names", Expect::Opaque(ANYWHERE)),
            ("tar xf host:x", Expect::Connects("ssh://host/x")),
            ("tar -xf me@host:x", Expect::Connects("ssh://host/x")),
            ("tar --force-local -xf host:x", Expect::Reads("host:x")),
            ("tar cf x.tar --remove-files src", Expect::Asks("deletes what it packs")),
        ],
        plain_lines: &[
            "tar czf x-$(cat VERSION)-$(git describe --tags).tgz -C $dir --exclude=$x y",
            "tar cf x -- $(cat y)",
            "tar cf x $(find . -name y)",
            "tar -xzf a.tgz -C out",
            "tar tvf a.tar",
            "tar cPf x /y",
            "tar --checkpoint=100 -cf x y",
        ],
        ..Program::GNU
    },
    Program {
        family: &["zip", "zipcloak", "zipnote", "zipsplit"],
        flags: "-r -R -q -v -j -m -d -u -f -g -9 -# -T|--test -y -X -D -l -ll -o -e -F -FF -A -c -z -s- -@ --recurse-paths --quiet --symlinks --move --update --freshen --delete --junk-paths -fd -FS -h -L -sc -sf",
        valued: "-TT|--unzip-command -x|--exclude -i|--include -b|--temp-path -O|--output-file|--out -P|--password -s|--split-size -n -t -tt -Z --logfile-path -lf",
        rules: &[
            when(Has("--unzip-command"), Hides("`zip` that runs a program to test what it made")),
            always(RunsLineWithMore(At::Value("--unzip-command"))),
            always(By(zip_test)),
            always(Writes(At::Nth(0))),
            always(Writes(At::Value("--output-file -lf --temp-path"))),
            always(ReadsTrees(At::From(1))),
            when(Has("-m --move"), DeletesTrees(At::From(1))),
            when(Has("-m --move"), Says(Consequence::Destroys, "deletes what it packs")),
        ],
        examples: &[
            ("zip x.zip y -T -TT 'rm -rf z'", Expect::Opaque("to test what it made")),
            ("zip x.zip y -T --unzip-command='rm -rf z'", Expect::Opaque("to test what it made")),
            ("zip -qTTx a b", Expect::Opaque("to test what it made")),
            ("zip x.zip private/x", Expect::Reads("private/x")),
            ("zip -b .git x.zip y", Expect::Writes(".git")),
            ("zip -r .envrc x", Expect::Writes(".envrc")),
            ("zip -rm x.zip private", Expect::Deletes("private")),
            ("zip -rm x.zip src", Expect::Asks("deletes what it packs")),
            ("zip -m x.zip src", Expect::Asks("deletes what it packs")),
        ],
        plain_lines: &["zip -r x.zip src"],
        ..Program::EXACT
    },
    Program {
        family: &["unzip", "zipinfo", "funzip", "unrar", "rar", "unar", "unace", "unlzx"],
        flags: "-l -t -v -z -p -c -Z -Z* -: -*",
        valued: "-d -x -P -output-directory",
        style: Style::Exact,
        rules: &[
            always(Reads(At::Nth(0))),
            when(Lacks("-l -t -v -z -p -c -Z"), By(unzipped)),
            when_all(&[Has("-:"), Lacks("-l -t -v -z -p -c -Z")], Hides(ANYWHERE)),
        ],
        examples: &[
            ("unzip -o x.zip -d .git", Expect::Writes(".git")),
            ("unzip -qd .git x.zip", Expect::Writes(".git")),
            ("unzip -o: x.zip", Expect::Opaque(ANYWHERE)),
            ("unzip private/x.zip", Expect::Reads("private/x.zip")),
            ("unzip x.zip .envrc", Expect::Writes(".envrc")),
        ],
        plain_lines: &["unzip -l archive.zip"],
        ..Program::EXACT
    },
    Program {
        family: &[
            "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "lzma", "unlzma", "zstd", "unzstd", "lz4", "unlz4",
            "lzop", "pigz", "unpigz", "pbzip2", "brotli", "compress", "uncompress", "zstdmt", "pixz", "lzip",
        ],
        flags: "-c|--stdout|--to-stdout -k|--keep -l|--list -t|--test -d|--decompress|--uncompress -z|--compress -r|--recursive -f|--force -q|--quiet -v|--verbose -n|--no-name -N|--name --fast --best --rm -*",
        valued: "-S|--suffix -o|--output --files --files0 -M|--memory -D --block-size -p|--processes",
        optional: "-T|--threads",
        rules: &[
            always(Reads(At::All)),
            always(Reads(At::Value("--files --files0"))),
            always(Writes(At::Value("--output"))),
            when(Lacks("--stdout --list --test"), By(compressed)),
        ],
        is_exhaustive: true,
        examples: &[
            ("gzip private/x", Expect::Deletes("private/x")),
            ("gzip private/x", Expect::Writes("private/x.gz")),
            ("gunzip .envrc.gz", Expect::Writes(".envrc")),
            ("zstd -d x.zst -o .envrc", Expect::Writes(".envrc")),
            ("xz -dk .envrc.xz", Expect::Writes(".envrc")),
            ("zstd --rm x", Expect::Deletes("x")),
            ("gzip -c private/x", Expect::Reads("private/x")),
        ],
        plain_lines: &["gzip -9 x"],
        ..Program::GNU
    },
    Program {
        family: &["7z", "7za", "7zz", "7zr", "p7zip"],
        flags: "-o* -w* -*",
        rules: &[
            always(Reads(At::From(1))),
            always(Writes(At::Value("-o*"))),
            when(First("a u d rn"), Writes(At::Nth(1))),
            when_all(&[First("x e"), Lacks("-o*")], Writes(At::Path("."))),
            when(First("x e"), Unpacks(At::Value("-o*"))),
            always(Reads(At::Rest("@"))),
        ],
        examples: &[
            ("7z x a.7z -o.git", Expect::Writes(".git")),
            ("7z a x.7z private/x", Expect::Reads("private/x")),
            ("7z a .envrc x", Expect::Writes(".envrc")),
        ],
        plain_lines: &["7z l a.7z"],
        ..Program::SINGLE
    },
    Program {
        family: &["cpio", "pax"],
        flags: "-i|--extract -o|--create -p|--pass-through -t|--list -v|--verbose -d|--make-directories -m|--preserve-modification-time -u|--unconditional -a -A|--append -B -c -0|--null -L|--dereference -k -l|--link -n -r -w -s -S -b -V|--dot --no-absolute-filenames --quiet --sparse -f --nonmatching --no-preserve-owner --to-stdout -X -z -j",
        valued: "-F|--file -I -O -D|--directory -E|--pattern-file -H|--format -M|--message -R|--owner -C|--io-size --block-size --rsh-command --rsh-comm",
        rules: &[
            when(Has("--rsh-command --rsh-comm"), Hides(HIDES)),
            always(RunsLineWithMore(At::Value("--rsh-command --rsh-comm"))),
            always(Writes(At::Value("-O --file --directory"))),
            always(Reads(At::Value("-I --file --pattern-file"))),
            when_all(&[Has("--extract -r"), Lacks("--list")], Writes(At::Path("."))),
            when_all(&[Has("--extract -r"), Lacks("--list")], Unpacks(At::Path("."))),
            when(Has("--pass-through"), Writes(At::Last)),
        ],
        examples: &[
            ("cpio -o --rsh-command=./x -F h:y", Expect::Opaque(HIDES)),
            ("cpio -idF x -D .git", Expect::Writes(".git")),
            ("cpio -pd .git", Expect::Writes(".git")),
        ],
        plain_lines: &["cpio -it"],
        ..Program::GNU
    },
    Program {
        family: &["aunpack", "atool", "dtrx", "patool", "bsdunzip", "lha", "cabextract", "ouch", "jar"],
        flags: "-c*|--create -t*|--list -u*|--update --version --help -*",
        valued: "-d|-dest|--directory|--dir -X|--extract-to -o|--outdir",
        rules: &[
            when_all(
                &[
                    FirstIsNot("cf cvf cfv cmf cfm cfe c l t tf tvf uf list create compress test"),
                    Lacks("-c* -t* -u* --version --help"),
                ],
                Unpacks(At::Value("-d -X -o")),
            ),
            always(Writes(At::Value("-d -X -o"))),
        ],
        examples: &[("aunpack -X .git x.zip", Expect::Writes(".git"))],
        plain_lines: &[
            "jar cf x.jar y && make", "jar -cvf x.jar y && make", "jar --create --file x.jar y && make", "dtrx x.zip",
        ],
        ..Program::SINGLE
    },
];

/// Effects of `tar`. Its first word may be a bundle of options without a dash, whose values follow
/// in order.
fn bundled(parsed: &Parsed<'_>) -> Vec<Effect> {
    let mode = "--create --extract --list --update --append --diff --catenate --delete";
    let bundle = parsed.operand(0).filter(|first| first.is_exact && is_bundle(&first.text));
    let mut found = if bundle.is_none() || parsed.has(mode) { packed(parsed) } else { Vec::new() };
    let Some(bundle) = bundle else { return found };
    let first = parsed.operands.first().copied().unwrap_or_default();
    let mut args: Vec<Value> = parsed.command.args[..first].to_vec();
    let mut rest = parsed.command.args[first + 1..].iter();
    for letter in bundle.text.chars() {
        args.push(Value::exact(format!("-{letter}")));
        if "fCTXbHVIFgKLN".contains(letter) {
            args.extend(rest.next().cloned());
        }
    }
    args.extend(rest.cloned());
    let command = crate::Command { args, ..parsed.command.clone() };
    // If the mode is given before it, the word may be a file name that looks like options.
    found.extend(packed(&Parsed::of(parsed.program, &command)));
    found
}

fn is_bundle(text: &str) -> bool {
    let has_mode = text.contains(['c', 'x', 't', 'r', 'u', 'd', 'A']);
    has_mode && text.chars().all(|c| "AcdrtuxSkUWOGnmpsMajJzZhPRvwoiBlfCTXbHVIFgKLNye".contains(c))
}

/// The files that `tar` reads and writes, and the programs it runs.
fn packed(parsed: &Parsed<'_>) -> Vec<Effect> {
    let mut found: Vec<Effect> = parsed.doubtful();
    let paths = |values: Vec<Value>, access: Access| values.into_iter().map(move |path| Effect::path(path, access));
    let values = |options: &str| parsed.values(options).cloned().collect::<Vec<_>>();
    let extracts = parsed.has("--extract");
    let archive =
        if parsed.has("--create --append --update --catenate --delete") { Access::Write } else { Access::Read };
    // GNU `tar` takes the archive from another machine if a colon precedes the first slash.
    let (far, near): (Vec<Value>, Vec<Value>) =
        values("--file").into_iter().partition(|file| !parsed.has("--force-local") && is_remote(file));
    found.extend(far.into_iter().map(Effect::Host));
    found.extend(paths(near.into_iter().filter(|file| file.text != "-").collect(), archive));
    found.extend(paths(values("--files-from --exclude-from"), Access::Read));
    found.extend(paths(values("--index-file --volno-file --listed-incremental"), Access::Write));
    if extracts && parsed.has("--absolute-names") && !parsed.has("--to-stdout --list") {
        found.push(Effect::hidden(ANYWHERE));
    }
    let folders = values("--directory --one-top-level");
    if extracts && !parsed.has("--to-stdout --list") {
        let here = if folders.is_empty() { vec![Value::exact(".")] } else { folders.clone() };
        found.extend(here.iter().cloned().map(Effect::Unpacks));
        found.extend(paths(here, Access::Write));
        found.extend(paths(parsed.operands().cloned().collect(), Access::Write));
    } else if parsed.has("--create --append --update") {
        let sources = parsed.operands().filter(|source| !source.text.starts_with('@'));
        found.extend(sources.map(|path| Effect::Path { path: path.clone(), access: Access::Read, is_tree: true }));
    }
    if parsed.has("--remove-files") {
        found.push(Effect::says(Consequence::Destroys, "deletes what it packs"));
        found.extend(parsed.operands().map(|path| Effect::Path {
            path: path.clone(),
            access: Access::Delete,
            is_tree: true,
        }));
    }
    let is_plain = |value: &&Value| {
        let name = value.text.split(' ').next().unwrap_or_default();
        matches!(
            name,
            "gzip"
                | "pigz"
                | "zstd"
                | "zstdmt"
                | "xz"
                | "bzip2"
                | "pbzip2"
                | "lz4"
                | "lzip"
                | "pixz"
                | "lbzip2"
                | "dot"
                | "bell"
                | "ttyout"
                | "totals"
        ) || name.starts_with("echo")
    };
    for value in parsed.values(RUNS).filter(|value| !is_plain(value)) {
        found.push(Effect::hidden(HIDES));
        let line = value.text.strip_prefix("exec=").unwrap_or(&value.text);
        let is_wrapped = parsed.values("--use-compress-program").any(|own| own == value);
        let text = if is_wrapped { format!("{line} $@") } else { line.to_owned() };
        found.push(Effect::Line(Value { text, ..value.clone() }));
    }
    found
}

/// `-TT` in a cluster, which the option reader does not split.
fn zip_test(parsed: &Parsed<'_>) -> Vec<Effect> {
    let tests = |arg: &Value| arg.text.starts_with('-') && !arg.text.starts_with("--") && arg.text.contains("TT");
    let found = parsed.command.args.iter().any(tests);
    found.then(|| Effect::hidden("`zip` that runs a program to test what it made")).into_iter().collect()
}

/// The folder that files are unpacked to, and the named members in it.
fn unzipped(parsed: &Parsed<'_>) -> Vec<Effect> {
    let folder = parsed.values("-d -output-directory").next().cloned().unwrap_or_else(|| Value::exact("."));
    let named = parsed.operands().skip(1).cloned();
    let unpacks = Effect::Unpacks(folder.clone());
    let written = [folder].into_iter().chain(named).map(|path| Effect::path(path, Access::Write));
    std::iter::once(unpacks).chain(written).collect()
}

/// The file that replaces another one.
fn compressed(parsed: &Parsed<'_>) -> Vec<Effect> {
    let name = parsed.command.name();
    let opens = parsed.has("--decompress") || name.starts_with("un") || matches!(name, "gunzip" | "bunzip2");
    let keeps = parsed.has("--keep") || name.contains("zst") && !parsed.has("--rm") || name.contains("lz4");
    let ending = match name {
        "xz" | "pixz" => "xz",
        "bzip2" | "pbzip2" => "bz2",
        "zstd" | "zstdmt" => "zst",
        "lz4" => "lz4",
        _ => "gz",
    };
    let mut found = Vec::new();
    for file in parsed.operands() {
        if !keeps {
            found.push(Effect::path(file.clone(), Access::Delete));
        }
        let text = match file.text.rsplit_once('.') {
            Some((stem, _)) if opens => stem.to_owned(),
            _ => format!("{}.{ending}", file.text),
        };
        if !parsed.has("--output") {
            found.push(Effect::path(Value { text, ..file.clone() }, Access::Write));
        }
    }
    found
}
