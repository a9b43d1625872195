//! Programs that run what one of their options, or one of their files, says.

use crate::code::Language;
use crate::effect::Effect;
use crate::registry::{
    ArgumentCondition::{
        AtLeast, AtMost, First, Has, Lacks, Operand, OperandHas, OperandStarts, ValueHas, ValueStarts,
    },
    At, Consequence, Does, Expect, Parsed, Program, Syntax, always, when,
};

const RUNS: &str = "a program that an option names is run";
const FILE: &str = "a file says what is run";
const SINGLE: Syntax = Syntax { flags: "-*", ..Syntax::SINGLE };

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["dvips", "dvipdfmx", "bibtool"],
        is_family: true,
        syntax: Syntax { flags: "-R0 -*", valued: "-o -D -l -p -P -t", ..Syntax::SINGLE },
        rules: &[
            when(&[Has("-R0")], Does::Hides(RUNS)),
            when(&[ValueStarts("-o", "! |")], Does::Hides(RUNS)),
            always(Does::Writes(At::Value("-o"))),
        ],
        examples: &[
            ("dvips -R0 x.dvi", Expect::Opaque(RUNS)),
            ("dvips -o '!id' x.dvi", Expect::Opaque(RUNS)),
            ("dvips -o .envrc x", Expect::Writes(".envrc")),
            ("dvips x.dvi", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["sphinx-build"],
        syntax: Syntax { flags: "-*", valued: "-b -D -j -c -d -w|--warning-file -t -A", ..Syntax::EXACT },
        rules: &[
            always(Does::Writes(At::Nth(1))),
            always(Does::Writes(At::Value("-d --warning-file"))),
            always(Does::Reads(At::Nth(0))),
        ],
        examples: &[
            ("sphinx-build -b html docs .git", Expect::Writes(".git")),
            ("sphinx-build -w .envrc docs out", Expect::Writes(".envrc")),
            ("sphinx-build docs out", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["asciidoctor", "mdbook", "mkdocs", "hugo", "jekyll", "quarto", "asciidoc", "groff", "troff", "nroff"],
        is_family: true,
        syntax: Syntax {
            flags: "-U -*",
            valued: "-b -D -j -o|--out-file|--output -r|--require -I --backend -c|--config -f|--config-file -d|--destination|--site-dir|--dest-dir",
            ..Syntax::EXACT
        },
        rules: &[
            always(Does::By(cleaned)),
            when(&[First("gh-deploy deploy publish")], Does::Is(Consequence::Publishes)),
            when(&[Has("--require -I -U")], Does::Hides(RUNS)),
            always(Does::Writes(At::Value("--out-file --destination"))),
            always(Does::Reads(At::All)),
        ],
        examples: &[
            ("mdbook build -d .git/hooks", Expect::Writes(".git/hooks")),
            ("groff -U x", Expect::Opaque(RUNS)),
            ("mkdocs gh-deploy", Expect::Asks("publishes")),
            ("asciidoctor -r ./x y", Expect::Opaque(RUNS)),
            ("asciidoctor -o .envrc x", Expect::Writes(".envrc")),
            ("groff -man private/x", Expect::Reads("private/x")),
            ("hugo --cleanDestinationDir -d src", Expect::Asks("empties a folder")),
            ("mkdocs build --site-dir src", Expect::Asks("empties a folder")),
            ("jekyll build -d src", Expect::Asks("empties a folder")),
            ("hugo -d src", Expect::Writes("src")),
            ("hugo --cleanDestinationDir -d public", Expect::Plain),
            ("mkdocs build", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &[
            "restic", "borg", "borgmatic", "duplicity", "rdiff-backup", "kopia", "tarsnap", "rsnapshot", "sshfs",
            "curlftpfs",
        ],
        is_family: true,
        syntax: Syntax {
            flags: "-*",
            valued: "-r|--repo --repository-file --password-command -p|--password-file -o|--option --rsh --remote-path --rclone -c|--config --exec --ssh-command -e --target -t",
            ..Syntax::GNU
        },
        rules: &[
            when(&[Has("--password-command --rsh --remote-path --exec --ssh-command -e")], Does::Hides(RUNS)),
            when(
                &[ValueHas("--option", "command rclone.program sftp.args directport ProxyCommand")],
                Does::Hides(RUNS),
            ),
            always(Does::RunsLine(At::Value("--password-command --rsh --ssh-command --exec"))),
            when(
                &[First("forget prune delete break-lock key unlock")],
                Does::Says(Consequence::Destroys, "removes what is kept in a backup"),
            ),
            always(Does::Writes(At::Value("--target"))),
        ],
        examples: &[
            ("restic --password-command='rm -rf x' backup y", Expect::Runs("rm -rf x")),
            ("restic -o sftp.command='sh' backup y", Expect::Opaque(RUNS)),
            ("restic forget --prune latest", Expect::Asks("kept in a backup")),
            ("borg --rsh ./x list", Expect::Opaque(RUNS)),
            ("sshfs -o ssh_command=./x h: y", Expect::Opaque(RUNS)),
            ("restic snapshots", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &[
            "runscript", "arch-nspawn", "easyrsa", "logrotate", "minicom", "rtorrent", "wg-quick", "bpftrace",
            "gtester", "check_ssl_cert", "acr", "sash", "dnsmasq", "virsh", "qemu-img", "monit", "openvpn", "pppd",
            "mutt", "neomutt", "mail", "mailx", "s-nail",
        ],
        is_family: true,
        syntax: Syntax {
            flags: "-*",
            valued: "--regex -a|--arg -f -p -e -P --grep-bin --conf-script --dhcp-script --vars -c -s -m -d -q --up --down --script-security --config --plugin --exec",
            ..Syntax::EXACT
        },
        rules: &[
            when(&[AtLeast(1)], Does::Hides(FILE)),
            when(
                &[Has("--grep-bin --conf-script --dhcp-script --vars -c -e --up --down --plugin --config --exec")],
                Does::Hides(FILE),
            ),
            when(&[Lacks("-h -V -v"), AtMost(0)], Does::Hides(FILE)),
            always(Does::RunsLine(At::Value("--conf-script --dhcp-script --up --down"))),
        ],
        examples: &[
            ("dnsmasq --conf-script='rm -rf x'", Expect::Runs("rm -rf x")),
            ("logrotate -m x -f y", Expect::Opaque(FILE)),
            ("mutt -f x", Expect::Opaque(FILE)),
            ("minicom -D /dev/null", Expect::Opaque(FILE)),
            ("mail --version", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &[
            "fastfetch", "neofetch", "screenfetch", "nginx", "apache2", "apache2ctl", "httpd", "caddy", "haproxy",
            "php-fpm", "redis-server", "postgres", "mysqld", "mongod",
        ],
        is_family: true,
        syntax: Syntax {
            flags: "-*",
            valued: "-c|--config -f|--file -g -p --loadmodule --adapter -d -C",
            ..Syntax::EXACT
        },
        rules: &[
            when(&[Has("--config --file -g --loadmodule -C")], Does::Hides(FILE)),
            always(Does::Reads(At::Value("--config --file"))),
        ],
        examples: &[
            ("nginx -t -c x", Expect::Opaque(FILE)),
            ("neofetch --config x", Expect::Opaque(FILE)),
            ("redis-server --loadmodule ./x.so", Expect::Opaque(FILE)),
            ("nginx -t", Expect::Plain),
            ("fastfetch", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["ssh-keygen", "ssh-add", "ssh-keyscan"],
        is_family: true,
        syntax: Syntax {
            flags: "-l -y -e -i -c -p -q -v -A -B -h -H -K -L -Q -X -x -d -k",
            valued: "-b -C -D -E -F -f -G -g -I -m -M -N -n -O -P -R -r -S -s -T -t -U -u -V -W -w -Y -Z -z -a",
            ..Syntax::EXACT
        },
        rules: &[
            when(&[Has("-D -w -S -s"), Lacks("-Y")], Does::Hides("a library of keys that is loaded")),
            when(&[Lacks("-l -y -F -Y -Q -L -B")], Does::By(keys)),
            always(Does::Reads(At::Value("-f"))),
        ],
        examples: &[
            ("ssh-keygen -D ./x.so", Expect::Opaque("a library of keys")),
            ("ssh-keygen -f .envrc -t ed25519", Expect::Writes(".envrc")),
            ("ssh-keygen -lf key.pub", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["gs", "gsc", "gsx", "ghostscript"],
        is_family: true,
        syntax: Syntax { flags: "-q -P -P- -v", valued: "-s -d -S -D -o -I -r -g -u -p", ..Syntax::GNU },
        rules: &[
            when(&[ValueHas("-s -S -o", "%pipe% |")], Does::Hides("output that another program is given")),
            when(&[ValueStarts("-d -D", "NOSAFER DELAYSAFER")], Does::Hides("a script without limits")),
            when(&[OperandHas("%pipe% (system)")], Does::Hides("a script that runs programs")),
            always(Does::Reads(At::All)),
            always(Does::Writes(At::Value("-o"))),
            always(Does::Writes(At::ValueRest("-s", "OutputFile="))),
        ],
        examples: &[
            ("gs -q -sDEVICE=pdfwrite -sOutputFile='%pipe%id' x.ps", Expect::Opaque("another program is given")),
            ("gs -o '|id' x.ps", Expect::Opaque("another program is given")),
            ("gs -dNOSAFER x.ps", Expect::Opaque("without limits")),
            ("gs -c '(%pipe%id) (r) file'", Expect::Opaque("runs programs")),
            ("gs -sOutputFile=.envrc x.ps", Expect::Writes(".envrc")),
            ("gs -sDEVICE=png16m -o out.png in.pdf", Expect::Writes("out.png")),
            ("gs -sDEVICE=png16m -o out.png in.pdf", Expect::Reads("in.pdf")),
            ("gs -q -dBATCH -dNOPAUSE -sDEVICE=pdfwrite -sOutputFile=out.pdf in.pdf", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &[
            "convert", "magick", "identify", "mogrify", "composite", "montage", "gm", "inkscape", "gimp", "soffice",
            "libreoffice",
        ],
        is_family: true,
        syntax: Syntax { flags: "--shell -*", valued: "-b|--batch --batch-interpreter --actions", ..SINGLE },
        rules: &[
            when(
                &[OperandStarts("| ephemeral: msl: https: http: ftp: label:@ caption:@ text: -")],
                Does::Hides("an image that is read by another program"),
            ),
            when(&[ValueHas("--batch", "( system")], Does::Hides("an image that is read by another program")),
            when(&[Has("--shell --actions")], Does::Hides("an image that is read by another program")),
            when(&[OperandStarts("macro: vnd.sun.star")], Does::Hides("a document that runs a macro")),
            when(&[OperandHas("%pipe% (system) .py .scm")], Does::Hides("an image that is read by another program")),
            when(&[Operand("-script")], Does::Hides(FILE)),
            always(Does::Reads(At::AllButLast)),
            always(Does::Writes(At::Last)),
        ],
        examples: &[
            ("convert '|id' x", Expect::Opaque("read by another program")),
            ("convert msl:x y", Expect::Opaque("read by another program")),
            ("convert a.png .envrc", Expect::Writes(".envrc")),
            ("gimp -i -b '(system \"id\")'", Expect::Opaque("read by another program")),
            ("soffice 'macro:///x.y.z'", Expect::Opaque("runs a macro")),
            ("soffice --headless --convert-to pdf x.docx", Expect::Plain),
            ("convert a.png b.jpg", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["pee", "mispipe"],
        is_family: true,
        syntax: Syntax { flags: "-*", ..Syntax::EXACT },
        rules: &[always(Does::By(lines))],
        examples: &[
            ("pee 'sudo id' cat < x", Expect::Denied("takes other rights")),
            ("mispipe 'ls' 'rm -rf x'", Expect::Runs("rm -rf x")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["chromium*", "google-chrome*", "chrome", "msedge", "microsoft-edge*", "brave*", "firefox*"],
        is_family: true,
        syntax: Syntax {
            flags: "-*",
            valued: "--renderer-cmd-prefix --gpu-launcher --utility-cmd-prefix --ppapi-plugin-launcher --browser-subprocess-path \
                     --load-extension --disable-extensions-except --user-data-dir --print-to-pdf --screenshot --profile --remote-debugging-port",
            ..Syntax::EXACT
        },
        rules: &[
            when(
                &[Has(
                    "--renderer-cmd-prefix --gpu-launcher --utility-cmd-prefix --ppapi-plugin-launcher --browser-subprocess-path",
                )],
                Does::Hides(RUNS),
            ),
            always(Does::RunsLineWithMore(At::Value("--renderer-cmd-prefix --gpu-launcher --utility-cmd-prefix"))),
            when(&[Has("--load-extension")], Does::Hides("a browser with code of one's own choice")),
            always(Does::Writes(At::Value("--print-to-pdf --screenshot"))),
            always(Does::Fetches(At::All)),
        ],
        examples: &[
            ("chromium --renderer-cmd-prefix='rm -rf x' http://h", Expect::Runs("rm -rf x $@")),
            ("google-chrome-stable --headless --print-to-pdf=.envrc http://h", Expect::Writes(".envrc")),
            ("chromium --load-extension=./x http://h", Expect::Opaque("of one's own choice")),
            ("firefox --headless http://h", Expect::Connects("http://h")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["clang-tidy*", "clang-check", "clang-query", "run-clang-tidy", "opt", "llc", "lli"],
        is_family: true,
        syntax: Syntax {
            flags: "-*",
            valued: "-p -o -load|--load -load-pass-plugin|--load-pass-plugin -plugin -extra-arg|--extra-arg -export-fixes|--export-fixes -clang-tidy-binary",
            ..Syntax::SINGLE
        },
        rules: &[
            when(
                &[Has("-load -load-pass-plugin -plugin -clang-tidy-binary")],
                Does::Hides("a compiler with code of one's own choice"),
            ),
            always(Does::Writes(At::Value("-o -export-fixes"))),
        ],
        builds: true,
        examples: &[
            ("clang-tidy --load=./x.so y.c", Expect::Opaque("of one's own choice")),
            ("opt -load-pass-plugin ./x.so y.ll -o z", Expect::Opaque("of one's own choice")),
            ("clang-tidy -p build --export-fixes=.envrc y.c", Expect::Writes(".envrc")),
            ("clang-tidy -p build src/x.c", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["ocamlfind", "ocamlopt", "ocamlc", "ocamlopt.opt", "ocamlc.opt"],
        is_family: true,
        syntax: Syntax { flags: "-*", valued: "-o -I -package -pp -ppx -cc -ccopt", ..Syntax::SINGLE },
        rules: &[
            always(Does::RunsLineWithMore(At::Value("-pp -ppx -cc"))),
            when(&[Has("-pp -ppx -cc")], Does::Hides(RUNS)),
            always(Does::Writes(At::Value("-o"))),
        ],
        builds: true,
        examples: &[
            ("ocamlfind ocamlopt -pp 'rm -rf x' y.ml", Expect::Runs("rm -rf x $@")),
            ("ocamlopt -o .envrc y.ml", Expect::Writes(".envrc")),
            ("ocamlfind ocamlopt -package str y.ml", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["cookiecutter", "copier", "cruft"],
        is_family: true,
        syntax: Syntax {
            flags: "--no-input --trust -*",
            valued: "-o|--output-dir -c|--checkout --directory",
            ..Syntax::EXACT
        },
        rules: &[
            when(
                &[OperandHas("gh: gl: bb: :// git@ .git")],
                Does::Hides("a template from elsewhere whose code is run"),
            ),
            always(Does::Connects(At::Remotes)),
            always(Does::Writes(At::Value("--output-dir"))),
        ],
        examples: &[
            ("cookiecutter gh:x/y --no-input", Expect::Opaque("a template from elsewhere")),
            ("copier copy --trust https://h/x y", Expect::Opaque("a template from elsewhere")),
            ("cookiecutter ./template -o out", Expect::Writes("out")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["jupyter", "jupyter-nbconvert", "jupyter-execute"],
        is_family: true,
        syntax: Syntax {
            flags: "--execute -*",
            valued: "--to --output --output-dir --config --kernel --template",
            ..Syntax::EXACT
        },
        rules: &[
            when(&[First("execute run")], Does::RunsScript(At::From(1))),
            when(&[Has("--execute")], Does::RunsScript(At::Last)),
            when(&[First("console qtconsole")], Does::Hides(FILE)),
            always(Does::RunsScript(At::Value("--config"))),
            always(Does::Writes(At::Value("--output --output-dir"))),
        ],
        examples: &[
            ("jupyter execute x.ipynb", Expect::Scripts("x.ipynb")),
            ("jupyter nbconvert --to html --execute x.ipynb", Expect::Scripts("x.ipynb")),
            ("jupyter nbconvert --to script --output .envrc x.ipynb", Expect::Writes(".envrc")),
            ("jupyter nbconvert --to html x.ipynb", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["blender"],
        syntax: Syntax {
            flags: "-b|--background -a|--render-anim -*",
            valued: "--python-expr --python-text -P|--python -o|--render-output -f -s -e -E -F -x -t --addons",
            ..SINGLE
        },
        rules: &[
            always(Does::Evaluates(Language::Python, At::Value("--python-expr"))),
            always(Does::RunsScript(At::Value("--python"))),
            when(&[Has("--python-text")], Does::Hides(FILE)),
            always(Does::Writes(At::Value("--render-output"))),
            always(Does::Reads(At::All)),
        ],
        examples: &[
            ("blender -b --python-expr 'import os; os.system(\"id\")'", Expect::Opaque("code with")),
            ("blender -b x.blend -P y", Expect::Scripts("y")),
            ("blender -b x.blend -o .envrc -a", Expect::Writes(".envrc")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["zic", "cobc", "forge"],
        is_family: true,
        syntax: Syntax {
            flags: "-x -j -F -* ",
            valued: "-e -y --use -d -o -b|--bin -c|--config -C|--cd",
            ..Syntax::EXACT
        },
        rules: &[
            when(&[Has("-e -y --use -j")], Does::Hides(RUNS)),
            when(&[Has("--config"), AtLeast(1)], Does::Hides(RUNS)),
            always(Does::Writes(At::Value("-o"))),
        ],
        builds: true,
        examples: &[
            ("zic -d . -y ./x y", Expect::Opaque(RUNS)),
            ("cobc -xj x.cob", Expect::Opaque(RUNS)),
            ("forge build", Expect::Plain),
        ],
        ..Program::NEW
    },
];

/// The files of a new key.
fn keys(parsed: &Parsed<'_>) -> Vec<Effect> {
    let file = parsed.values("-f").cloned();
    file.map(|path| Effect::path(path, tools_core::Access::Write)).collect()
}

/// The folder that a generator of pages empties before it fills it.
fn cleaned(parsed: &Parsed<'_>) -> Vec<Effect> {
    let empties = match parsed.command.name() {
        "hugo" => parsed.command.args.iter().any(|arg| arg.text.starts_with("--cleanDestinationDir")),
        "mkdocs" | "jekyll" => true,
        _ => false,
    };
    parsed.values("--destination").filter(|_| empties).flat_map(super::emptied::emptied).collect()
}

/// Operands each of which is a line.
fn lines(parsed: &Parsed<'_>) -> Vec<Effect> {
    parsed.operands().cloned().map(Effect::Line).collect()
}
