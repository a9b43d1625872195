//! Programs that encode, pack and merge files: they read their operands, and some write what an
//! option names.

use crate::effect::Effect;
use crate::registry::{
    ArgumentCondition::{AtLeast, First, Has, Lacks, Operand, OperandHas},
    At, Does, Expect, Parsed, Program, Syntax, always, when,
};
use tools_core::Access;

pub(super) static ALL: &[Program] = &[
    Program {
        names: &[
            "ascii85", "base58", "basez", "base16", "hex", "unhex", "ascii-xfr", "atobm", "bmtoa", "ptx", "uuencode",
            "aspell", "tic", "infocmp", "toe", "captoinfo", "xsv", "qsv",
        ],
        is_family: true,
        syntax: Syntax {
            flags: "-*",
            valued: "-o|--output -w -b -S|--sentence-regexp -W|--word-regexp -i|--ignore-file -g|--gap-size --conf --per-conf --personal",
            ..Syntax::EXACT
        },
        rules: &[
            always(Does::Reads(At::All)),
            always(Does::Reads(At::Value("--conf --per-conf --personal --ignore-file"))),
            always(Does::Writes(At::Value("--output"))),
        ],
        examples: &[
            ("base58 private/x", Expect::Reads("private/x")),
            ("ptx -w 999 private/x", Expect::Reads("private/x")),
            ("aspell --conf private/x", Expect::Reads("private/x")),
            ("tic -o .envrc x", Expect::Writes(".envrc")),
            ("uuencode x y", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["mlr"],
        syntax: Syntax {
            flags: "-I -*",
            valued: "--from --ofmt --prepipe --prepipex --load --mload -s",
            ..Syntax::SINGLE
        },
        rules: &[
            always(Does::RunsLineWithMore(At::Value("--prepipe --prepipex"))),
            when(&[Has("-s --load --mload")], Does::Hides("`mlr` with options or code from a file")),
            when(
                &[OperandHas("system exec tee dump print emit")],
                Does::Hides("`mlr` with code that may run a program or write a file"),
            ),
            when(&[Operand("tee split case")], Does::Hides("`mlr` that writes files of its choice")),
            when(&[Has("-I")], Does::Writes(At::Last)),
            always(Does::Reads(At::Value("--from"))),
            always(Does::Reads(At::Last)),
        ],
        examples: &[
            ("mlr -n put 'end{system(\"id\")}'", Expect::Opaque("run a program")),
            ("mlr --icsv put -q 'tee > $a, $*' x", Expect::Opaque("write a file")),
            ("mlr --prepipe 'rm -rf x' cat y", Expect::Runs("rm -rf x $@")),
            ("mlr --icsv --ojson sort -f a private/x", Expect::Reads("private/x")),
            ("mlr --c2p filter '$x > 1' y.csv", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["uudecode", "uudeview", "munpack", "ripmime"],
        is_family: true,
        syntax: Syntax { flags: "-*", valued: "-o|--output-file -d -i", ..Syntax::EXACT },
        rules: &[
            always(Does::Reads(At::All)),
            always(Does::Writes(At::Value("--output-file -d"))),
            when(&[Lacks("--output-file -d")], Does::Hides("files that are named only in what is unpacked")),
        ],
        examples: &[
            ("uudecode x", Expect::Opaque("named only in what is unpacked")),
            ("uudecode -o .envrc x", Expect::Writes(".envrc")),
            ("uudecode -o y x", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &[
            "msgattrib", "msgcat", "msgcomm", "msgconv", "msgen", "msgfmt", "msggrep", "msginit", "msgmerge",
            "msgunfmt", "msguniq", "xgettext",
        ],
        is_family: true,
        syntax: Syntax {
            flags: "-U|--update -*",
            valued: "-o|--output-file -f|--files-from -D|--directory -P|--properties-input -C|--compendium -d -l|--locale -L|--language -t|--to-code \
                     -i|--input -k|--keyword --from-code -w|--width",
            ..Syntax::EXACT
        },
        rules: &[
            always(Does::Reads(At::All)),
            always(Does::Reads(At::Value("-P --files-from --compendium --input"))),
            always(Does::Writes(At::Value("--output-file"))),
            when(&[Has("--update")], Does::Writes(At::Nth(0))),
        ],
        examples: &[
            ("msgcat -P private/x", Expect::Reads("private/x")),
            ("msgmerge private/x y", Expect::Reads("private/x")),
            ("msgfmt -o .envrc x.po", Expect::Writes(".envrc")),
            ("xgettext -o a.pot b.c", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["csvtool"],
        syntax: Syntax { flags: "-help|--help", valued: "-t -u -z -o", ..Syntax::SINGLE },
        rules: &[
            when(&[First("call")], Does::RunsLineWithMore(At::Nth(1))),
            always(Does::Reads(At::From(1))),
            always(Does::Writes(At::Value("-o"))),
        ],
        examples: &[
            ("csvtool call 'sudo id' x.csv", Expect::Denied("takes other rights")),
            ("csvtool -t , call 'sudo id' x.csv", Expect::Denied("takes other rights")),
            ("csvtool -o .envrc cat x.csv", Expect::Writes(".envrc")),
            ("csvtool col 1,2 private/x.csv", Expect::Reads("private/x.csv")),
            ("csvtool height x.csv", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["ar", "gcc-ar", "llvm-ar", "arj"],
        is_family: true,
        syntax: Syntax { flags: "-M -*", valued: "--plugin --target --output", ..Syntax::LEADING },
        rules: &[
            when(&[Has("--plugin")], Does::Hides("a plug-in that an option names")),
            when(&[Has("-M")], Does::Hides("an archive that a script makes")),
            always(Does::By(archived)),
        ],
        builds: true,
        examples: &[
            ("ar --plugin ./x.so r a b", Expect::Opaque("a plug-in")),
            ("ar -M < x", Expect::Opaque("a script makes")),
            ("ar rcs .envrc b.o", Expect::Writes(".envrc")),
            ("ar p private/x.a", Expect::Reads("private/x.a")),
            ("arj a y private/x", Expect::Reads("private/x")),
            ("ar rcs lib.a a.o b.o", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["nm", "objdump", "size"],
        is_family: true,
        syntax: Syntax { flags: "-*", valued: "--plugin", ..Syntax::GNU },
        rules: &[when(&[Has("--plugin")], Does::Hides("a plug-in that an option names")), always(Does::Reads(At::All))],
        is_exhaustive: true,
        examples: &[("nm --plug ./x.so a.o", Expect::Opaque("a plug-in")), ("size x", Expect::Reads("x"))],
        ..Program::NEW
    },
    Program {
        names: &["strip", "ranlib", "objcopy", "llvm-strip", "llvm-ranlib", "llvm-objcopy"],
        is_family: true,
        syntax: Syntax {
            flags: "-*",
            valued: "--plugin -o -O|--output-target -I|--input-target -F|--target -K|--keep-symbol -N|--strip-symbol \
                     -R|--remove-section -j|--only-section -B|--binary-architecture --split-dwo",
            ..Syntax::GNU
        },
        rules: &[
            when(&[Has("--plugin")], Does::Hides("a plug-in that an option names")),
            always(Does::Writes(At::All)),
            always(Does::Writes(At::Value("-o --split-dwo"))),
        ],
        builds: true,
        examples: &[
            ("strip --plugin ./x.so a", Expect::Opaque("a plug-in")),
            ("strip -o .envrc a", Expect::Writes(".envrc")),
            ("strip -s a", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["genisoimage", "mkisofs", "xorrisofs"],
        is_family: true,
        syntax: Syntax {
            flags: "-*",
            valued: "-o -output -V -A -P -p -b -c -G -e -m -x -sort -log-file -path-list -graft-points -M -C -hide -boot-load-size -eltorito-alt-boot",
            ..Syntax::SINGLE
        },
        rules: &[
            always(Does::ReadsTrees(At::All)),
            always(Does::Reads(At::Value("-sort -path-list -M"))),
            always(Does::Writes(At::Value("-o -output -log-file"))),
        ],
        examples: &[
            ("genisoimage -q -o - private/x", Expect::Reads("private/x")),
            ("genisoimage -sort private/x", Expect::Reads("private/x")),
            ("mkisofs -o .envrc x", Expect::Writes(".envrc")),
            ("genisoimage -o x.iso src", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["unsquashfs", "sqfscat"],
        is_family: true,
        syntax: Syntax {
            flags: "-v|-version -i|-info -li|-linfo -l|-ls -ll|-lls -f|-force -s|-stat -n|-no-progress -no-xattrs -q|-quiet -cat",
            valued: "-d|-dest -p|-processors -e|-ef -o|-offset -data-queue -frag-queue",
            ..Syntax::SINGLE
        },
        rules: &[
            always(Does::Reads(At::Nth(0))),
            always(Does::Writes(At::Value("-d"))),
            when(&[Lacks("-d -l -ll -s -v -cat")], Does::Writes(At::Path("squashfs-root"))),
        ],
        examples: &[
            ("unsquashfs private/x", Expect::Reads("private/x")),
            ("unsquashfs -f -d .git x", Expect::Writes(".git")),
            ("unsquashfs x", Expect::Writes("squashfs-root")),
            ("unsquashfs -l x", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["qpdf", "pdftk", "mutool", "pdfunite", "pdfseparate"],
        is_family: true,
        syntax: Syntax {
            flags: "--replace-input -*",
            valued: "--job-json-file --password --password-file --pages --show-attachment",
            optional: "--add-attachment --copy-attachments-from",
            ..Syntax::EXACT
        },
        rules: &[
            when(&[Has("--job-json-file")], Does::Hides("a job that a file describes")),
            always(Does::Reads(At::All)),
            always(Does::Reads(At::Value("--password-file"))),
            when(&[AtLeast(2)], Does::Writes(At::Last)),
            when(&[Has("--replace-input")], Does::Writes(At::Nth(0))),
        ],
        examples: &[
            ("qpdf --job-json-file=x", Expect::Opaque("a file describes")),
            ("qpdf --empty --add-attachment private/x --key=x -- .envrc", Expect::Writes(".envrc")),
            ("qpdf --empty --add-attachment private/x --key=x -- .envrc", Expect::Reads("private/x")),
            ("qpdf --check x.pdf", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["nasm", "yasm", "rustfmt"],
        is_family: true,
        syntax: Syntax {
            flags: "-*",
            valued: "-o|--objfile -l|--list -f|--oformat -F -I -i -P -p -D -U -g -s -Z -@ -MF -MT --edition --emit --config-path --config --color",
            ..Syntax::EXACT
        },
        rules: &[
            always(Does::Reads(At::All)),
            always(Does::Reads(At::Value("-@ -P -p"))),
            always(Does::Writes(At::Value("-o -l -Z -MF"))),
            always(Does::By(super::checks::formatted)),
        ],
        builds: true,
        examples: &[
            ("nasm -@ private/x", Expect::Reads("private/x")),
            ("nasm -f elf64 x.asm -o .envrc", Expect::Writes(".envrc")),
            ("rustfmt .envrc", Expect::Writes(".envrc")),
            ("rustfmt --check src/lib.rs", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["easy_install"],
        syntax: Syntax {
            flags: "-*",
            valued: "-d|--install-dir -s|--script-dir -b|--build-directory -i|--index-url -f|--find-links",
            ..Syntax::EXACT
        },
        rules: &[
            always(Does::Follows("setup.py")),
            always(Does::NeedsNetwork),
            always(Does::Writes(At::Value("--install-dir --script-dir"))),
        ],
        examples: &[
            ("easy_install .", Expect::Scripts("setup.py")),
            ("easy_install -d .git x", Expect::Writes(".git")),
        ],
        ..Program::NEW
    },
];

/// An archive and its members: the letters of the first operand say whether it is written.
fn archived(parsed: &Parsed<'_>) -> Vec<Effect> {
    let Some(letters) = parsed.operand(0) else { return Vec::new() };
    let is_arj = parsed.command.name() == "arj";
    let writes = if is_arj { "acdfimnrsuwy" } else { "rqdms" };
    let access = if letters.text.contains(|c| writes.contains(c)) { Access::Write } else { Access::Read };
    let archive = parsed.operand(1).cloned().map(|archive| Effect::path(archive, access));
    let members = parsed.operands().skip(2).cloned().map(|member| Effect::path(member, Access::Read));
    archive.into_iter().chain(members).collect()
}
