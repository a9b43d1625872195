//! Programs that encode, pack and merge files. They read their operands, and some write a file that
//! an option names.

use crate::reader::Value;
use crate::registry::prelude::*;
use tools_core::Access;

pub(super) static ALL: &[Program] = &[
    Program {
        family: &[
            "ascii85", "base58", "basez", "base16", "hex", "unhex", "ascii-xfr", "atobm", "bmtoa", "ptx", "uuencode",
            "aspell", "tic", "infocmp", "toe", "captoinfo", "xsv", "qsv",
        ],
        flags: "-*",
        valued: "-o|--output -w -b -S|--sentence-regexp -W|--word-regexp -i|--ignore-file -g|--gap-size --conf --per-conf --personal",
        rules: &[
            always(Reads(At::All)),
            always(Reads(At::Value("--conf --per-conf --personal --ignore-file"))),
            always(Writes(At::Value("--output"))),
        ],
        examples: &[
            ("base58 private/x", Expect::Reads("private/x")),
            ("ptx -w 999 private/x", Expect::Reads("private/x")),
            ("aspell --conf private/x", Expect::Reads("private/x")),
            ("tic -o .envrc x", Expect::Writes(".envrc")),
        ],
        plain_lines: &["uuencode x y"],
        ..Program::EXACT
    },
    Program {
        names: &["mlr"],
        flags: "-I -*",
        valued: "--from --ofmt --prepipe --prepipex --load --mload -s",
        rules: &[
            always(RunsLineWithMore(At::Value("--prepipe --prepipex"))),
            when(Has("-s --load --mload"), Hides("`mlr` with options or code from a file")),
            when(
                OperandHas("system exec tee dump print emit"),
                Hides("`mlr` with code that may run a program or write a file"),
            ),
            when(Operand("tee split case"), Hides("`mlr` that writes files of its choice")),
            when(Has("-I"), Writes(At::Last)),
            always(Reads(At::Value("--from"))),
            always(Reads(At::Last)),
        ],
        examples: &[
            ("mlr -n put 'end{system(\"id\")}'", Expect::Opaque("run a program")),
            ("mlr --icsv put -q 'tee > $a, $*' x", Expect::Opaque("write a file")),
            ("mlr --prepipe 'rm -rf x' cat y", Expect::Runs("rm -rf x $@")),
            ("mlr --icsv --ojson sort -f a private/x", Expect::Reads("private/x")),
        ],
        plain_lines: &["mlr --c2p filter '$x > 1' y.csv"],
        ..Program::SINGLE
    },
    Program {
        family: &["uudecode", "uudeview", "munpack", "ripmime"],
        flags: "-*",
        valued: "-o|--output-file -d -i",
        rules: &[
            always(Reads(At::All)),
            always(Writes(At::Value("--output-file -d"))),
            when(Lacks("--output-file -d"), Hides("files that are named only in what is unpacked")),
        ],
        examples: &[
            ("uudecode x", Expect::Opaque("named only in what is unpacked")),
            ("uudecode -o .envrc x", Expect::Writes(".envrc")),
        ],
        plain_lines: &["uudecode -o y x"],
        ..Program::EXACT
    },
    Program {
        family: &[
            "msgattrib", "msgcat", "msgcomm", "msgconv", "msgen", "msgfmt", "msggrep", "msginit", "msgmerge",
            "msgunfmt", "msguniq", "xgettext",
        ],
        flags: "-U|--update -*",
        valued: "-o|--output-file -f|--files-from -D|--directory -P|--properties-input -C|--compendium -d -l|--locale -L|--language -t|--to-code \
                     -i|--input -k|--keyword --from-code -w|--width",
        rules: &[
            always(Reads(At::All)),
            always(Reads(At::Value("-P --files-from --compendium --input"))),
            always(Writes(At::Value("--output-file"))),
            when(Has("--update"), Writes(At::Nth(0))),
        ],
        examples: &[
            ("msgcat -P private/x", Expect::Reads("private/x")),
            ("msgmerge private/x y", Expect::Reads("private/x")),
            ("msgfmt -o .envrc x.po", Expect::Writes(".envrc")),
        ],
        plain_lines: &["xgettext -o a.pot b.c"],
        ..Program::EXACT
    },
    Program {
        names: &["csvtool"],
        flags: "-help|--help",
        valued: "-t -u -z -o",
        rules: &[
            when(First("call"), RunsLineWithMore(At::Nth(1))),
            always(Reads(At::From(1))),
            always(Writes(At::Value("-o"))),
        ],
        examples: &[
            ("csvtool call 'sudo id' x.csv", Expect::Denied("takes other rights")),
            ("csvtool -t , call 'sudo id' x.csv", Expect::Denied("takes other rights")),
            ("csvtool -o .envrc cat x.csv", Expect::Writes(".envrc")),
            ("csvtool col 1,2 private/x.csv", Expect::Reads("private/x.csv")),
        ],
        plain_lines: &["csvtool height x.csv"],
        ..Program::SINGLE
    },
    Program {
        family: &["ar", "gcc-ar", "llvm-ar", "arj"],
        flags: "-M -*",
        valued: "--plugin --target --output",
        rules: &[
            when(Has("--plugin"), Hides("a plug-in that an option names")),
            when(Has("-M"), Hides("an archive that a script makes")),
            always(By(archived)),
        ],
        builds: true,
        examples: &[
            ("ar --plugin ./x.so r a b", Expect::Opaque("a plug-in")),
            ("ar -M < x", Expect::Opaque("a script makes")),
            ("ar rcs .envrc b.o", Expect::Writes(".envrc")),
            ("ar p private/x.a", Expect::Reads("private/x.a")),
            ("arj a y private/x", Expect::Reads("private/x")),
        ],
        plain_lines: &["ar rcs lib.a a.o b.o"],
        ..Program::LEADING
    },
    Program {
        family: &["nm", "objdump", "size"],
        flags: "-*",
        valued: "--plugin",
        rules: &[when(Has("--plugin"), Hides("a plug-in that an option names")), always(Reads(At::All))],
        is_exhaustive: true,
        examples: &[("nm --plug ./x.so a.o", Expect::Opaque("a plug-in")), ("size x", Expect::Reads("x"))],
        ..Program::GNU
    },
    Program {
        family: &["strip", "ranlib", "objcopy", "llvm-strip", "llvm-ranlib", "llvm-objcopy"],
        flags: "-*",
        valued: "--plugin -o -O|--output-target -I|--input-target -F|--target -K|--keep-symbol -N|--strip-symbol \
                     -R|--remove-section -j|--only-section -B|--binary-architecture --split-dwo",
        rules: &[
            when(Has("--plugin"), Hides("a plug-in that an option names")),
            always(Writes(At::All)),
            always(Writes(At::Value("-o --split-dwo"))),
        ],
        builds: true,
        examples: &[
            ("strip --plugin ./x.so a", Expect::Opaque("a plug-in")),
            ("strip -o .envrc a", Expect::Writes(".envrc")),
        ],
        plain_lines: &["strip -s a"],
        ..Program::GNU
    },
    Program {
        family: &["genisoimage", "mkisofs", "xorrisofs"],
        flags: "-*",
        valued: "-o -output -V -A -P -p -b -c -G -e -m -x -sort -log-file -path-list -graft-points -M -C -hide -boot-load-size -eltorito-alt-boot",
        rules: &[
            always(ReadsTrees(At::All)),
            always(Reads(At::Value("-sort -path-list -M"))),
            always(Writes(At::Value("-o -output -log-file"))),
        ],
        examples: &[
            ("genisoimage -q -o - private/x", Expect::Reads("private/x")),
            ("genisoimage -sort private/x", Expect::Reads("private/x")),
            ("mkisofs -o .envrc x", Expect::Writes(".envrc")),
        ],
        plain_lines: &["genisoimage -o x.iso src"],
        ..Program::SINGLE
    },
    Program {
        family: &["unsquashfs", "sqfscat"],
        flags: "-v|-version -i|-info -li|-linfo -l|-ls -ll|-lls -f|-force -s|-stat -n|-no-progress -no-xattrs -q|-quiet -cat",
        valued: "-d|-dest -p|-processors -e|-ef -o|-offset -data-queue -frag-queue",
        rules: &[
            always(Reads(At::Nth(0))),
            always(Writes(At::Value("-d"))),
            when(Has("-d"), Unpacks(At::Value("-d"))),
            when(Lacks("-d -l -ll -s -v -cat"), Writes(At::Path("squashfs-root"))),
            when(Lacks("-d -l -ll -s -v -cat"), Unpacks(At::Path("squashfs-root"))),
        ],
        examples: &[
            ("unsquashfs private/x", Expect::Reads("private/x")),
            ("unsquashfs -f -d .git x", Expect::Writes(".git")),
            ("unsquashfs x", Expect::Writes("squashfs-root")),
        ],
        plain_lines: &["unsquashfs -l x"],
        ..Program::SINGLE
    },
    Program {
        family: &["qpdf", "pdftk", "mutool", "pdfunite", "pdfseparate"],
        flags: "--replace-input -*",
        valued: "--job-json-file --password --password-file --pages --show-attachment",
        optional: "--add-attachment --copy-attachments-from",
        rules: &[
            when(Has("--job-json-file"), Hides("a job that a file describes")),
            always(Reads(At::All)),
            always(Reads(At::Value("--password-file"))),
            when(AtLeast(2), Writes(At::Last)),
            when(Has("--replace-input"), Writes(At::Nth(0))),
        ],
        examples: &[
            ("qpdf --job-json-file=x", Expect::Opaque("a file describes")),
            ("qpdf --empty --add-attachment private/x --key=x -- .envrc", Expect::Writes(".envrc")),
            ("qpdf --empty --add-attachment private/x --key=x -- .envrc", Expect::Reads("private/x")),
        ],
        plain_lines: &["qpdf --check x.pdf"],
        ..Program::EXACT
    },
    Program {
        family: &["nasm", "yasm", "rustfmt"],
        flags: "-*",
        valued: "-o|--objfile -l|--list -f|--oformat -F -I -i -P -p -D -U -g -s -Z -@ -MF -MT --edition --emit --config-path --config --color",
        rules: &[
            always(Reads(At::All)),
            always(Reads(At::Value("-@ -P -p"))),
            always(Writes(At::Value("-o -l -Z -MF"))),
            always(By(super::checks::formatted)),
        ],
        builds: true,
        examples: &[
            ("nasm -@ private/x", Expect::Reads("private/x")),
            ("nasm -f elf64 x.asm -o .envrc", Expect::Writes(".envrc")),
            ("rustfmt .envrc", Expect::Writes(".envrc")),
        ],
        plain_lines: &["rustfmt --check src/lib.rs"],
        ..Program::EXACT
    },
    Program {
        names: &["easy_install"],
        flags: "-*",
        valued: "-d|--install-dir -s|--script-dir -b|--build-directory -i|--index-url -f|--find-links",
        rules: &[
            always(Follows("setup.py")),
            always(NeedsNetwork),
            always(Writes(At::Value("--install-dir --script-dir"))),
        ],
        examples: &[
            ("easy_install .", Expect::Scripts("setup.py")),
            ("easy_install -d .git x", Expect::Writes(".git")),
        ],
        ..Program::EXACT
    },
];

/// An archive and its members; the letters of the first operand decide whether it is written.
fn archived(parsed: &Parsed<'_>) -> Vec<Effect> {
    let Some(letters) = parsed.operand(0) else { return Vec::new() };
    let is_arj = parsed.command.name() == "arj";
    let writes = if is_arj { "acdfimnrsuwy" } else { "rqdms" };
    let access = if letters.text.contains(|c| writes.contains(c)) { Access::Write } else { Access::Read };
    let archive = parsed.operand(1).cloned().map(|archive| Effect::path(archive, access));
    let members = parsed.operands().skip(2).cloned().map(|member| Effect::path(member, Access::Read));
    let unpacks = (!is_arj && letters.text.trim_start_matches('-').starts_with('x')).then(|| {
        let folder = parsed.values("--output").last().cloned().unwrap_or_else(|| Value::exact("."));
        Effect::Unpacks(folder)
    });
    archive.into_iter().chain(members).chain(unpacks).collect()
}
