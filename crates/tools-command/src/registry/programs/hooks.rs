//! Programs that run commands from one of their options or files.

use crate::registry::prelude::*;

const RUNS: &str = "a program that an option names is run";
const FILE: &str = "a file says what is run";
const SINGLE: Program = Program { flags: "-*", ..Program::SINGLE };

pub(super) static ALL: &[Program] = &[
    Program {
        family: &["dvips", "dvipdfmx", "bibtool"],
        flags: "-R0 -*",
        valued: "-o -D -l -p -P -t",
        rules: &[
            when(Has("-R0"), Hides(RUNS)),
            when(ValueStarts("-o", "! |"), Hides(RUNS)),
            always(Writes(At::Value("-o"))),
        ],
        examples: &[
            ("dvips -R0 x.dvi", Expect::Opaque(RUNS)),
            ("dvips -o '!id' x.dvi", Expect::Opaque(RUNS)),
            ("dvips -o .envrc x", Expect::Writes(".envrc")),
        ],
        plain_lines: &["dvips x.dvi"],
        ..Program::SINGLE
    },
    Program {
        names: &["sphinx-build"],
        flags: "-*",
        valued: "-b -D -j -c -d -w|--warning-file -t -A -M",
        rules: &[
            always(ObeysAround("**/conf.py")),
            when(ValueStarts("-M", "clean"), By(generated)),
            always(Writes(At::Nth(1))),
            always(Writes(At::Value("-d --warning-file"))),
            always(Reads(At::Nth(0))),
        ],
        examples: &[
            ("sphinx-build -b html docs .git", Expect::Writes(".git")),
            ("sphinx-build -M clean docs src", Expect::Asks("empties a folder")),
            ("sphinx-build -w .envrc docs out", Expect::Writes(".envrc")),
        ],
        plain_lines: &[
            "sphinx-build docs out", "sphinx-build -M clean docs docs/_build", "sphinx-build -M html docs x",
        ],
        ..Program::EXACT
    },
    Program {
        family: &["asciidoctor", "mdbook", "hugo", "jekyll", "quarto", "asciidoc", "groff", "troff", "nroff"],
        flags: "-U -*",
        valued: "-b -D -j -o|--out-file|--output -r|--require -I --backend -c|--config -f|--config-file -d|--destination|--site-dir|--dest-dir",
        rules: &[
            always(ObeysAround("book.toml _plugins/*.rb _config.yml")),
            always(By(cleaned)),
            when(First("gh-deploy deploy publish"), Is(Consequence::Publishes)),
            when(Has("--require -I -U"), Hides(RUNS)),
            always(Writes(At::Value("--out-file --destination"))),
            always(Reads(At::All)),
        ],
        examples: &[
            ("mdbook build -d .git/hooks", Expect::Writes(".git/hooks")),
            ("groff -U x", Expect::Opaque(RUNS)),
            ("asciidoctor -r ./x y", Expect::Opaque(RUNS)),
            ("asciidoctor -o .envrc x", Expect::Writes(".envrc")),
            ("groff -man private/x", Expect::Reads("private/x")),
            ("hugo --cleanDestinationDir -d src", Expect::Asks("empties a folder")),
            ("jekyll build -d src", Expect::Asks("empties a folder")),
            ("hugo -d src", Expect::Writes("src")),
        ],
        plain_lines: &["hugo --cleanDestinationDir -d public"],
        ..Program::EXACT
    },
    Program {
        names: &["mkdocs"],
        flags: "-h|--help -V|--version -q|--quiet -v|--verbose --color --no-color -c|--clean --dirty -s|--strict \
                --use-directory-urls --no-directory-urls --livereload --no-livereload -o|--open --force --no-history \
                --ignore-version --shell",
        valued: "-f|--config-file -d|--site-dir -t|--theme -a|--dev-addr -w|--watch -m|--message -b|--remote-branch \
                 -r|--remote-name -p|--projects-file",
        rules: &[
            always(Obeys("mkdocs.yml mkdocs.yaml")),
            always(RunsScript(At::Value("--config-file"))),
            always(Writes(At::Value("--site-dir"))),
            when(Lacks("--dirty"), By(cleaned)),
            when(First("gh-deploy"), Is(Consequence::Publishes)),
            when(First("new"), Writes(At::Nth(1))),
        ],
        examples: &[
            ("mkdocs gh-deploy", Expect::Asks("publishes")),
            ("mkdocs build --site-dir src", Expect::Asks("empties a folder")),
            ("mkdocs build -c -d src", Expect::Asks("empties a folder")),
            ("mkdocs build -d x", Expect::Writes("x")),
            ("echo x > mkdocs.yml; mkdocs build", Expect::Opaque("written by this very line")),
        ],
        plain_lines: &["mkdocs build", "mkdocs serve -a localhost:8000"],
        ..Program::EXACT
    },
    Program {
        names: &["wheel"],
        flags: "-h|--help -v|--verbose --remove",
        valued: "-d|--dest|--dest-dir --build-number --python-tag --abi-tag --platform-tag --build",
        rules: &[
            when(First("unpack pack convert"), Reads(At::From(1))),
            when(First("unpack pack convert"), Writes(At::Value("--dest"))),
            when_all(&[First("unpack pack convert"), Lacks("--dest")], Writes(At::Path("."))),
            when(First("tags"), Writes(At::From(1))),
        ],
        examples: &[
            ("wheel unpack -d ../x a.whl", Expect::Writes("../x")),
            ("wheel pack x --dest-dir=../y", Expect::Writes("../y")),
        ],
        plain_lines: &["wheel version"],
        ..Program::EXACT
    },
    Program {
        family: &[
            "restic", "borg", "borgmatic", "duplicity", "rdiff-backup", "kopia", "tarsnap", "rsnapshot", "sshfs",
            "curlftpfs",
        ],
        flags: "-*",
        valued: "-r|--repo --repository-file --password-command -p|--password-file -o|--option --rsh --remote-path --rclone -c|--config --exec --ssh-command -e --target -t",
        rules: &[
            when(Has("--password-command --rsh --remote-path --exec --ssh-command -e"), Hides(RUNS)),
            when(ValueHas("--option", "command rclone.program sftp.args directport ProxyCommand"), Hides(RUNS)),
            always(RunsLine(At::Value("--password-command --rsh --ssh-command --exec"))),
            when(
                First("forget prune delete break-lock key unlock"),
                Says(Consequence::Destroys, "removes what is kept in a backup"),
            ),
            always(Writes(At::Value("--target"))),
        ],
        examples: &[
            ("restic --password-command='rm -rf x' backup y", Expect::Runs("rm -rf x")),
            ("restic -o sftp.command='sh' backup y", Expect::Opaque(RUNS)),
            ("restic forget --prune latest", Expect::Asks("kept in a backup")),
            ("borg --rsh ./x list", Expect::Opaque(RUNS)),
            ("sshfs -o ssh_command=./x h: y", Expect::Opaque(RUNS)),
        ],
        plain_lines: &["restic snapshots"],
        ..Program::GNU
    },
    Program {
        family: &[
            "runscript", "arch-nspawn", "easyrsa", "logrotate", "minicom", "rtorrent", "wg-quick", "bpftrace",
            "gtester", "check_ssl_cert", "acr", "sash", "dnsmasq", "virsh", "qemu-img", "monit", "openvpn", "pppd",
            "mutt", "neomutt", "mail", "mailx", "s-nail",
        ],
        flags: "-*",
        valued: "--regex -a|--arg -f -p -e -P --grep-bin --conf-script --dhcp-script --vars -c -s -m -d -q --up --down --script-security --config --plugin --exec",
        rules: &[
            when(AtLeast(1), Hides(FILE)),
            when(
                Has("--grep-bin --conf-script --dhcp-script --vars -c -e --up --down --plugin --config --exec"),
                Hides(FILE),
            ),
            when_all(&[Lacks("-h -V -v"), AtMost(0)], Hides(FILE)),
            always(RunsLine(At::Value("--conf-script --dhcp-script --up --down"))),
        ],
        examples: &[
            ("dnsmasq --conf-script='rm -rf x'", Expect::Runs("rm -rf x")),
            ("logrotate -m x -f y", Expect::Opaque(FILE)),
            ("mutt -f x", Expect::Opaque(FILE)),
            ("minicom -D /dev/null", Expect::Opaque(FILE)),
        ],
        plain_lines: &["mail --version"],
        ..Program::EXACT
    },
    Program {
        family: &[
            "fastfetch", "neofetch", "screenfetch", "nginx", "apache2", "apache2ctl", "httpd", "caddy", "haproxy",
            "php-fpm", "redis-server", "postgres", "mysqld", "mongod",
        ],
        flags: "-*",
        valued: "-c|--config -f|--file -g -p --loadmodule --adapter -d -C",
        rules: &[
            when(Has("--config --file -g --loadmodule -C"), Hides(FILE)),
            always(Reads(At::Value("--config --file"))),
        ],
        examples: &[
            ("nginx -t -c x", Expect::Opaque(FILE)),
            ("neofetch --config x", Expect::Opaque(FILE)),
            ("redis-server --loadmodule ./x.so", Expect::Opaque(FILE)),
        ],
        plain_lines: &["nginx -t", "fastfetch"],
        ..Program::EXACT
    },
    Program {
        family: &["ssh-keygen", "ssh-add", "ssh-keyscan"],
        flags: "-l -y -e -i -c -p -q -v -A -B -h -H -K -L -Q -X -x -d -k",
        valued: "-b -C -D -E -F -f -G -g -I -m -M -N -n -O -P -R -r -S -s -T -t -U -u -V -W -w -Y -Z -z -a",
        rules: &[
            when_all(&[Has("-D -w -S -s"), Lacks("-Y")], Hides("a library of keys that is loaded")),
            when(Lacks("-l -y -F -Y -Q -L -B"), By(keys)),
            always(Reads(At::Value("-f"))),
        ],
        examples: &[
            ("ssh-keygen -D ./x.so", Expect::Opaque("a library of keys")),
            ("ssh-keygen -f .envrc -t ed25519", Expect::Writes(".envrc")),
        ],
        plain_lines: &["ssh-keygen -lf key.pub"],
        ..Program::EXACT
    },
    Program {
        family: &["gs", "gsc", "gsx", "ghostscript"],
        flags: "-q -P -P- -v",
        valued: "-s -d -S -D -o -I -r -g -u -p",
        rules: &[
            when(ValueHas("-s -S -o", "%pipe% |"), Hides("output that another program is given")),
            when(ValueStarts("-d -D", "NOSAFER DELAYSAFER"), Hides("a script without limits")),
            when(OperandHas("%pipe% (system)"), Hides("a script that runs programs")),
            always(Reads(At::All)),
            always(Writes(At::Value("-o"))),
            always(Writes(At::ValueRest("-s", "OutputFile="))),
        ],
        examples: &[
            ("gs -q -sDEVICE=pdfwrite -sOutputFile='%pipe%id' x.ps", Expect::Opaque("another program is given")),
            ("gs -o '|id' x.ps", Expect::Opaque("another program is given")),
            ("gs -dNOSAFER x.ps", Expect::Opaque("without limits")),
            ("gs -c '(%pipe%id) (r) file'", Expect::Opaque("runs programs")),
            ("gs -sOutputFile=.envrc x.ps", Expect::Writes(".envrc")),
            ("gs -sDEVICE=png16m -o out.png in.pdf", Expect::Writes("out.png")),
            ("gs -sDEVICE=png16m -o out.png in.pdf", Expect::Reads("in.pdf")),
        ],
        plain_lines: &["gs -q -dBATCH -dNOPAUSE -sDEVICE=pdfwrite -sOutputFile=out.pdf in.pdf"],
        ..Program::GNU
    },
    Program {
        family: &[
            "convert", "magick", "identify", "mogrify", "composite", "montage", "gm", "inkscape", "gimp", "soffice",
            "libreoffice",
        ],
        flags: "--shell -*",
        valued: "-b|--batch --batch-interpreter --actions",
        rules: &[
            when(
                OperandStarts("| ephemeral: msl: https: http: ftp: label:@ caption:@ text: -"),
                Hides("an image that is read by another program"),
            ),
            when(ValueHas("--batch", "( system"), Hides("an image that is read by another program")),
            when(Has("--shell --actions"), Hides("an image that is read by another program")),
            when(OperandStarts("macro: vnd.sun.star"), Hides("a document that runs a macro")),
            when(OperandHas("%pipe% (system) .py .scm"), Hides("an image that is read by another program")),
            when(Operand("-script"), Hides(FILE)),
            always(Reads(At::AllButLast)),
            always(Writes(At::Last)),
        ],
        examples: &[
            ("convert '|id' x", Expect::Opaque("read by another program")),
            ("convert msl:x y", Expect::Opaque("read by another program")),
            ("convert a.png .envrc", Expect::Writes(".envrc")),
            ("gimp -i -b '(system \"id\")'", Expect::Opaque("read by another program")),
            ("soffice 'macro:///x.y.z'", Expect::Opaque("runs a macro")),
        ],
        plain_lines: &["soffice --headless --convert-to pdf x.docx", "convert a.png b.jpg"],
        ..SINGLE
    },
    Program {
        family: &["pee", "mispipe"],
        flags: "-*",
        rules: &[always(By(lines))],
        examples: &[
            ("pee 'sudo id' cat < x", Expect::Denied("takes other rights")),
            ("mispipe 'ls' 'rm -rf x'", Expect::Runs("rm -rf x")),
        ],
        ..Program::EXACT
    },
    Program {
        family: &["chromium*", "google-chrome*", "chrome", "msedge", "microsoft-edge*", "brave*", "firefox*"],
        flags: "-*",
        valued: "--renderer-cmd-prefix --gpu-launcher --utility-cmd-prefix --ppapi-plugin-launcher --browser-subprocess-path \
                     --load-extension --disable-extensions-except --user-data-dir --print-to-pdf --screenshot --profile --remote-debugging-port",
        rules: &[
            when(
                Has(
                    "--renderer-cmd-prefix --gpu-launcher --utility-cmd-prefix --ppapi-plugin-launcher --browser-subprocess-path",
                ),
                Hides(RUNS),
            ),
            always(RunsLineWithMore(At::Value("--renderer-cmd-prefix --gpu-launcher --utility-cmd-prefix"))),
            when(Has("--load-extension"), Hides("a browser with code of one's own choice")),
            always(Writes(At::Value("--print-to-pdf --screenshot"))),
            always(Fetches(At::All)),
        ],
        examples: &[
            ("chromium --renderer-cmd-prefix='rm -rf x' http://h", Expect::Runs("rm -rf x $@")),
            ("google-chrome-stable --headless --print-to-pdf=.envrc http://h", Expect::Writes(".envrc")),
            ("chromium --load-extension=./x http://h", Expect::Opaque("of one's own choice")),
            ("firefox --headless http://h", Expect::Connects("http://h")),
        ],
        ..Program::EXACT
    },
    Program {
        family: &["clang-tidy*", "clang-check", "clang-query", "run-clang-tidy", "opt", "llc", "lli"],
        flags: "-*",
        valued: "-p -o -load|--load -load-pass-plugin|--load-pass-plugin -plugin -extra-arg|--extra-arg -export-fixes|--export-fixes -clang-tidy-binary",
        rules: &[
            when(
                Has("-load -load-pass-plugin -plugin -clang-tidy-binary"),
                Hides("a compiler with code of one's own choice"),
            ),
            always(Writes(At::Value("-o -export-fixes"))),
        ],
        builds: true,
        examples: &[
            ("clang-tidy --load=./x.so y.c", Expect::Opaque("of one's own choice")),
            ("opt -load-pass-plugin ./x.so y.ll -o z", Expect::Opaque("of one's own choice")),
            ("clang-tidy -p build --export-fixes=.envrc y.c", Expect::Writes(".envrc")),
        ],
        plain_lines: &["clang-tidy -p build src/x.c"],
        ..Program::SINGLE
    },
    Program {
        family: &["ocamlfind", "ocamlopt", "ocamlc", "ocamlopt.opt", "ocamlc.opt"],
        flags: "-*",
        valued: "-o -I -package -pp -ppx -cc -ccopt",
        rules: &[
            always(RunsLineWithMore(At::Value("-pp -ppx -cc"))),
            when(Has("-pp -ppx -cc"), Hides(RUNS)),
            always(Writes(At::Value("-o"))),
        ],
        builds: true,
        examples: &[
            ("ocamlfind ocamlopt -pp 'rm -rf x' y.ml", Expect::Runs("rm -rf x $@")),
            ("ocamlopt -o .envrc y.ml", Expect::Writes(".envrc")),
        ],
        plain_lines: &["ocamlfind ocamlopt -package str y.ml"],
        ..Program::SINGLE
    },
    Program {
        family: &["cookiecutter", "copier", "cruft"],
        flags: "--no-input --trust -*",
        valued: "-o|--output-dir -c|--checkout --directory",
        rules: &[
            when(OperandHas("gh: gl: bb: :// git@ .git"), Hides("a template from elsewhere whose code is run")),
            always(Connects(At::Remotes)),
            always(Writes(At::Value("--output-dir"))),
        ],
        examples: &[
            ("cookiecutter gh:x/y --no-input", Expect::Opaque("a template from elsewhere")),
            ("copier copy --trust https://h/x y", Expect::Opaque("a template from elsewhere")),
            ("cookiecutter ./template -o out", Expect::Writes("out")),
        ],
        ..Program::EXACT
    },
    Program {
        family: &["jupyter", "jupyter-nbconvert", "nbconvert", "jupyter-execute"],
        flags: "--execute -*",
        valued: "--to --output --output-dir --config --kernel --template",
        rules: &[
            always(Obeys("jupyter_*_config.py")),
            when(First("execute run"), RunsScript(At::From(1))),
            when(Has("--execute"), RunsScript(At::Last)),
            when(First("console qtconsole"), Hides(FILE)),
            always(RunsScript(At::Value("--config"))),
            always(Writes(At::Value("--output --output-dir"))),
        ],
        examples: &[
            ("python3 -m nbconvert --to html --execute x.ipynb", Expect::Scripts("x.ipynb")),
            ("jupyter execute x.ipynb", Expect::Scripts("x.ipynb")),
            ("jupyter nbconvert --to html --execute x.ipynb", Expect::Scripts("x.ipynb")),
            ("jupyter nbconvert --to script --output .envrc x.ipynb", Expect::Writes(".envrc")),
        ],
        plain_lines: &["jupyter nbconvert --to html x.ipynb"],
        ..Program::EXACT
    },
    Program {
        names: &["blender"],
        flags: "-b|--background -a|--render-anim -*",
        valued: "--python-expr --python-text -P|--python -o|--render-output -f -s -e -E -F -x -t --addons",
        rules: &[
            always(Evaluates(Language::Python, At::Value("--python-expr"))),
            always(RunsScript(At::Value("--python"))),
            when(Has("--python-text"), Hides(FILE)),
            always(Writes(At::Value("--render-output"))),
            always(Reads(At::All)),
        ],
        examples: &[
            ("blender -b --python-expr 'import os; os.system(\"id\")'", Expect::Opaque("code with")),
            ("blender -b x.blend -P y", Expect::Scripts("y")),
            ("blender -b x.blend -o .envrc -a", Expect::Writes(".envrc")),
        ],
        ..SINGLE
    },
    Program {
        family: &["zic", "cobc", "forge"],
        flags: "-x -j -F -* ",
        valued: "-e -y --use -d -o -b|--bin -c|--config -C|--cd",
        rules: &[
            when(Has("-e -y --use -j"), Hides(RUNS)),
            when_all(&[Has("--config"), AtLeast(1)], Hides(RUNS)),
            always(Writes(At::Value("-o"))),
        ],
        builds: true,
        examples: &[("zic -d . -y ./x y", Expect::Opaque(RUNS)), ("cobc -xj x.cob", Expect::Opaque(RUNS))],
        plain_lines: &["forge build"],
        ..Program::EXACT
    },
];

/// The files of a new key pair.
fn keys(parsed: &Parsed<'_>) -> Vec<Effect> {
    let file = parsed.values("-f").cloned();
    file.map(|path| Effect::path(path, tools_core::Access::Write)).collect()
}

/// The folder that `sphinx-build -M clean` empties.
fn generated(parsed: &Parsed<'_>) -> Vec<Effect> {
    parsed.operand(1).into_iter().flat_map(super::emptied::emptied).collect()
}

/// The folder that a site generator empties before it fills it.
fn cleaned(parsed: &Parsed<'_>) -> Vec<Effect> {
    let empties = match parsed.command.name() {
        "hugo" => parsed.command.args.iter().any(|arg| arg.text.starts_with("--cleanDestinationDir")),
        "mkdocs" | "jekyll" => true,
        _ => false,
    };
    parsed.values("--destination --site-dir").filter(|_| empties).flat_map(super::emptied::emptied).collect()
}

/// Operands that are a shell line each.
fn lines(parsed: &Parsed<'_>) -> Vec<Effect> {
    parsed.operands().cloned().map(Effect::Line).collect()
}
