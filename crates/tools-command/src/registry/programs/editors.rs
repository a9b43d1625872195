//! Editors and pagers: the commands they execute, and the files they change.

use crate::registry::prelude::*;

const FOLLOWS: &str = "an editor that follows commands";

pub(super) static ALL: &[Program] = &[
    Program {
        family: &[
            "vim", "vi", "nvim", "ex", "view", "vimdiff", "gvim", "rvim", "rview", "vim.basic", "vim.tiny", "nvi",
            "elvis", "kak", "hx", "helix", "neovide",
        ],
        flags: "-A -b -C -d -D -E -f -F -g -h|--help -H -l -L -m -M -n -N -o# -O# -p# -R -v -V# -y -Z --clean --noplugin --not-a-term --nofork --headless --remote --remote-wait --literal --ttyfail --version -e -E +*",
        valued: "-c --cmd -S -s -u -U -i -t -T -q -w -W --startuptime --server --servername --remote-send --remote-expr --listen --socketid --luamod-dev --embed -P",
        rules: &[
            when(
                Has(
                    "-c --cmd -S -s -u -U -i -e -q -l -E -V# +* --remote-send --remote-expr --server --luamod-dev --listen --embed",
                ),
                Hides(FOLLOWS),
            ),
            when(OperandHas("!"), Hides(FOLLOWS)),
            when(Fed, Hides(FOLLOWS)),
            always(Writes(At::Value("-w -W --startuptime"))),
            always(RunsScript(At::Value("-S"))),
            always(Reads(At::All)),
        ],
        examples: &[
            ("vim -c ':!id' -c q", Expect::Opaque(FOLLOWS)),
            ("vim -c:!id", Expect::Opaque(FOLLOWS)),
            ("vim +'!id' x", Expect::Opaque(FOLLOWS)),
            ("vim -es -c '!id'", Expect::Opaque(FOLLOWS)),
            ("vim --cmd id", Expect::Opaque(FOLLOWS)),
            ("nvim -u x y", Expect::Opaque(FOLLOWS)),
            ("vim -w .envrc", Expect::Writes(".envrc")),
            ("echo :q | vim x", Expect::Opaque(FOLLOWS)),
            ("vim private/x", Expect::Reads("private/x")),
        ],
        plain_lines: &["vim x.txt"],
        ..Program::EXACT
    },
    Program {
        family: &["emacs", "emacsclient", "zile", "mg", "xemacs"],
        flags: "-nw|-no-window-system|--tty -c -n -t -a -q|-no-init-file|--no-init-file -Q|-quick|--quick -batch|--batch -daemon|--daemon -nsl -debug-init -version +* -r -F -x|--script",
        valued: "-eval|--eval|-execute|--execute -l|-load|--load -f|-funcall|--funcall -script -e -L|-directory -u|-user -s|-socket-name --init-directory -insert --alternate-editor",
        rules: &[
            when(Has("-eval -l -f -script -e -x -L -u --init-directory --alternate-editor -a"), Hides(FOLLOWS)),
            always(RunsScript(At::Value("-l -script"))),
            always(Reads(At::All)),
        ],
        examples: &[
            ("emacs --batch --eval '(shell-command \"id\")'", Expect::Opaque(FOLLOWS)),
            ("emacs -Q -nw -eval '(term \"sh\")'", Expect::Opaque(FOLLOWS)),
            ("emacs -l x", Expect::Opaque(FOLLOWS)),
            ("emacsclient -e '(x)'", Expect::Opaque(FOLLOWS)),
            ("emacs private/x", Expect::Reads("private/x")),
        ],
        plain_lines: &["emacs -nw x"],
        ..Program::SINGLE
    },
    Program {
        family: &[
            "nano", "rnano", "pico", "joe", "micro", "ne", "mcedit", "jed", "code", "codium", "subl", "gedit", "kate",
            "cursor",
        ],
        flags: "-* +*",
        valued: "-s|--speller -o|--operatingdir -C|--backupdir -f|--rcfile -T|--tabsize -r|--fill -Y|--syntax -eval -plugin -config-dir --install-extension --extensions-dir --user-data-dir --locate-shell-integration-path",
        rules: &[
            when(
                Has(
                    "--speller --rcfile -eval -plugin -config-dir --install-extension --extensions-dir --user-data-dir",
                ),
                Hides(FOLLOWS),
            ),
            always(RunsLineWithMore(At::Value("--speller"))),
            when(First("tunnel serve-web agent-host"), Hides("an editor that is open to other machines")),
            always(Reads(At::All)),
            when(OperandHas("!"), Hides(FOLLOWS)),
        ],
        examples: &[
            ("nano -s /bin/sh x", Expect::Opaque(FOLLOWS)),
            ("code tunnel --name x", Expect::Opaque("open to other machines")),
            ("nano --spell='rm -rf x' y", Expect::Runs("rm -rf x $@")),
            ("nano --rcfile x y", Expect::Opaque(FOLLOWS)),
            ("nano private/x", Expect::Reads("private/x")),
        ],
        plain_lines: &["nano x"],
        ..Program::GNU
    },
    Program {
        family: &["less", "more", "most", "pg", "zless", "zmore", "lv", "moar"],
        flags: "-? -a -A -B -c -C -d -e -E -f -F -g -G -i -I -J -K -L -m -M -n -N -q -Q -r -R -s -S -u -U -V -w -W -X -~ -# -l --chop-long-lines --RAW-CONTROL-CHARS --raw-control-chars --no-init --quit-if-one-screen --line-numbers --LINE-NUMBERS \
                    --ignore-case --IGNORE-CASE --squeeze-blank-lines --help --version --mouse --follow-name --use-color --silent --quiet --dumb --force +*",
        valued: "-b -D -h -j -k -o -O -p -P -t -T -x -y -z --lesskey-file --lesskey-src --lesskey-content --log-file --LOG-FILE --pattern --prompt --tag --tag-file --tabs --window --buffers --jump-target --shift --header",
        rules: &[
            always(By(followed)),
            when(Has("-k --lesskey-file --lesskey-src --lesskey-content"), Hides("a pager with keys from a file")),
            always(Writes(At::Value("-o -O --log-file --LOG-FILE"))),
            always(Reads(At::All)),
        ],
        examples: &[
            ("less +!id x", Expect::Opaque("a pager that follows commands")),
            ("less '+!sudo id' f", Expect::Opaque("a pager that follows commands")),
            ("more '+/x' '+!id' y", Expect::Opaque("a pager that follows commands")),
            ("less -k x y", Expect::Opaque("keys from a file")),
            ("less -o .envrc x", Expect::Writes(".envrc")),
            ("less private/x", Expect::Reads("private/x")),
        ],
        plain_lines: &["less +G x.log", "less -R README.md"],
        ..Program::EXACT
    },
    Program {
        family: &["man", "info", "pinfo", "perldoc", "pydoc", "pydoc3", "ri", "tkinfo"],
        flags: "-a|--all -f|--whatis -k|--apropos -K|--global-apropos -w|--where|--path|--location -W -i|--ignore-case -I -d|--debug -D|--default -u|--update -c|--catman -7|--ascii -t|--troff -Z|--ditroff -X --regex --wildcard --names-only --no-subpages --no-hyphenation --no-justification -h -V",
        valued: "-P|--pager -H|--html -p|--preprocessor -T|--troff-device -C|--config-file -L|--locale -m|--systems -M|--manpath -s|-S|--sections|--section -e|--extension -R|--recode -r|--prompt -E|--encoding -l|--local-file -o|--output --restore --dribble -n|--node",
        rules: &[
            when(
                Has("--pager --html --preprocessor --config-file --restore"),
                Hides("a manual that is shown by a program of its own choice"),
            ),
            always(RunsLineWithMore(At::Value("--pager --html"))),
            always(Reads(At::Value("--local-file"))),
            always(Writes(At::Value("--output --dribble"))),
        ],
        examples: &[
            ("man -P 'rm -rf x' ls", Expect::Runs("rm -rf x $@")),
            ("man -aP 'sh -c id' ls", Expect::Opaque("of its own choice")),
            ("man --pager=id ls", Expect::Opaque("of its own choice")),
            ("man --html=id ls", Expect::Opaque("of its own choice")),
            ("man -C x ls", Expect::Opaque("of its own choice")),
            ("man -l private/x", Expect::Reads("private/x")),
        ],
        plain_lines: &["man bash", "man -k shutdown"],
        ..Program::GNU
    },
    Program {
        family: &["bat", "batcat", "glow", "mdcat", "highlight", "pygmentize", "source-highlight"],
        flags: "-p|--plain -A|--show-all -n|--number -f|--force-colorization -P|--no-paging -L|--list-languages --list-themes --diff -S|--chop-long-lines -u|--unbuffered -V --diagnostic --acknowledgements --no-pager -*",
        valued: "--pager -l|--language --theme -r|--line-range -H|--highlight-line --style --tabs --wrap --color --italic-text --decorations --paging -m|--map-syntax --file-name --terminal-width --config-dir --config-file --cache-dir --target --ignored-suffix -O -o|--output -x",
        rules: &[
            always(RunsLineWithMore(At::Value("--pager"))),
            when(Has("--pager --config-dir --config-file"), Hides("a pager of its own choice")),
            when(Has("-x"), Hides("code that is loaded from a file")),
            always(Writes(At::Value("--output --target"))),
            always(Reads(At::All)),
        ],
        prints_as: &[("batcat", "bat")],
        examples: &[
            ("bat --pager 'rm -rf x' y", Expect::Runs("rm -rf x $@")),
            ("bat --pager=sh x", Expect::Opaque("a pager of its own choice")),
            ("bat -x x.py:L y", Expect::Opaque("loaded from a file")),
            ("bat private/x", Expect::Reads("private/x")),
        ],
        plain_lines: &["bat --plain src/main.rs"],
        ..Program::EXACT
    },
    Program {
        family: &["rename", "prename", "file-rename", "perl-rename", "mmv"],
        flags: "-v|--verbose -n|--nono|--no-act -f|--force -s|--symlink -o|--no-overwrite -i|--interactive -a|--all -l|--last -d|--filename|--nopath -0|--null -u|--unicode",
        valued: "-e|-E",
        rules: &[
            always(Evaluates(Language::Perl, At::Nth(0))),
            always(Evaluates(Language::Perl, At::Value("-e"))),
            when(Lacks("--nono"), Deletes(At::From(1))),
            when(Lacks("--nono"), Writes(At::From(1))),
        ],
        edits: true,
        examples: &[
            ("rename 'system(\"id\")' x", Expect::Opaque("code with")),
            ("rename 's/a/b/' private", Expect::Writes("private")),
        ],
        plain_lines: &["rename -n 's/a/b/' x"],
        ..Program::GNU
    },
    Program {
        family: &["vipe", "vidir", "sensible-editor", "select-editor", "edit", "editor"],
        flags: "-v|--verbose -*",
        valued: "--suffix",
        rules: &[always(Hides("an editor that the environment chooses")), always(Writes(At::All))],
        examples: &[
            ("ls | vipe", Expect::Opaque("the environment chooses")),
            ("vidir x", Expect::Opaque("the environment chooses")),
        ],
        ..Program::EXACT
    },
    Program {
        names: &["patch"],
        flags: "-R|--reverse -N|--forward -f|--force -t|--batch -s|--quiet|--silent -u|--unified -c|--context -n|--normal -e|--ed -l|--ignore-whitespace -E|--remove-empty-files -b|--backup --dry-run --binary -T|--set-time -Z|--set-utc --verbose --posix --no-backup-if-mismatch --backup-if-mismatch --follow-symlinks -v|--version",
        valued: "-p|--strip -i|--input -o|--output -d|--directory -D|--ifdef -F|--fuzz -B|--prefix -r|--reject-file -V|--version-control -Y|--basename-prefix -z|--suffix -g|--get --reject-format --quoting-style --read-only",
        optional: "--merge -x",
        folder: "--directory",
        rules: &[
            when(Has("--ed"), Hides("a patch that is a script of an editor")),
            when_all(&[Has("--follow-symlinks"), Lacks("--dry-run")], Hides("a patch that follows links")),
            when_all(&[Has("--directory"), Lacks("--dry-run")], Writes(At::Path("."))),
            always(Reads(At::Value("--input"))),
            always(Reads(At::Nth(1))),
            when(Lacks("--dry-run"), Writes(At::Nth(0))),
            always(Writes(At::Value("--output --reject-file"))),
        ],
        edits: true,
        examples: &[
            ("patch -eo x y z", Expect::Opaque("a script of an editor")),
            ("patch -p1 --follow-symlinks", Expect::Opaque("follows links")),
            ("patch -d ../x -p1", Expect::Writes("../x/.")),
            ("patch .envrc x", Expect::Writes(".envrc")),
            ("patch x -o .envrc -i y", Expect::Writes(".envrc")),
            ("patch -p1 -i private/x", Expect::Reads("private/x")),
        ],
        plain_lines: &["patch -p1"],
        ..Program::GNU
    },
];

/// A command for a pager that does more than move to a position.
fn followed(parsed: &Parsed<'_>) -> Vec<Effect> {
    let moves = |text: &str| text.chars().all(|c| c.is_ascii_digit() || matches!(c, 'G' | 'g' | 'F' | '+' | '%'));
    let follows = |text: &str| text.strip_prefix('+').is_some_and(|rest| !rest.is_empty() && !moves(rest));
    let found = parsed.command.args.iter().any(|arg| follows(&arg.text));
    found.then(|| Effect::hidden("a pager that follows commands")).into_iter().collect()
}
