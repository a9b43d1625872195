//! Programs that start another one in a session, a display, a terminal or under a lock, or restart
//! it when files change.

use tools_core::Access;

use crate::reader::Value;
use crate::registry::prelude::*;

/// Effect of a terminal multiplexer, which runs commands on its own.
const HOSTS: Does = Hides(HOSTS_COMMANDS);
const HOSTS_COMMANDS: &str = "a terminal that runs commands on its own";

/// Read-only commands of `tmux`.
const TMUX_LOOKS: &[&str] = &[
    "ls", "list-sessions", "list-windows", "lsw", "list-panes", "lsp", "has-session", "has", "capture-pane",
    "capturep", "display-message", "display", "show-options", "show", "list-keys", "list-commands", "list-clients",
    "info",
];

const HOSTED: &[Rule] = &[always(RunsLine(At::All))];

/// A command of `tmux` whose operands are a shell line.
const fn hosting(names: &'static str, flags: &'static str, valued: &'static str) -> Subcommand {
    command(names, Syntax { flags, valued, ..Syntax::LEADING }, HOSTED)
}

/// Any `tmux` command that is not read-only. A semicolon begins another command, and `#(…)` in a
/// format runs a line.
fn hosted(parsed: &Parsed<'_>) -> Vec<Effect> {
    let runs = |arg: &Value| arg.text.ends_with(';') || arg.text.contains("#(");
    let has_more = parsed.command.args.iter().any(runs);
    let looks = |word: &Value| word.is_exact && TMUX_LOOKS.contains(&word.text.as_str()) && !has_more;
    let only_looks = parsed.unlisted.as_ref().is_some_and(|(word, _)| looks(word));
    if only_looks { Vec::new() } else { vec![Effect::hidden(HOSTS_COMMANDS)] }
}

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["flock"],
        flags: "-s|--shared -e|-x|--exclusive -u|--unlock -n|--nb|--nonblock -o|--close -F|--no-fork --verbose --fcntl",
        valued: "-w|--wait|--timeout -E|--conflict-exit-code",
        rules: &[when(AtLeast(2), ByOption(locked)), when(AtLeast(2), Writes(At::Nth(0)))],
        is_exhaustive: true,
        examples: &[
            ("flock x sudo id", Expect::Denied("takes other rights")),
            ("flock -n x -c 'sudo id'", Expect::Denied("takes other rights")),
            ("flock -w 5 x --command 'sudo id'", Expect::Denied("takes other rights")),
            ("flock --odd x sudo id", Expect::Opaque("`--odd` of `flock`")),
        ],
        plain_lines: &["flock -u 9", "flock x.lock cargo build"],
        ..Program::LEADING
    },
    Program {
        names: &["script"],
        flags: "-a|--append -e|--return -f|--flush --force -q|--quiet -k -r -d -p",
        valued: "-c|--command -E|--echo -I|--log-in -O|--log-out -B|--log-io -T|--log-timing -m|--logging-format \
                     -o|--output-limit",
        optional: "-t|--timing -F",
        rules: &[
            always(RunsLine(At::Value("--command"))),
            always(RunsWords(At::From(1))),
            when_all(
                &[Lacks("--command --version"), AtMost(1)],
                Hides("`script` starts a shell that runs what it reads"),
            ),
            always(ByOption(recorded)),
        ],
        is_exhaustive: true,
        examples: &[
            ("script -c 'sudo id' /dev/null", Expect::Denied("takes other rights")),
            ("script -qc 'sudo id' x", Expect::Denied("takes other rights")),
            ("script --command 'sudo id' x", Expect::Denied("takes other rights")),
            ("script -q /dev/null sudo id", Expect::Denied("takes other rights")),
            ("script -q /dev/null", Expect::Opaque("starts a shell")),
            ("script -c ls .envrc", Expect::Writes(".envrc")),
        ],
        ..Program::GNU
    },
    Program {
        names: &["ssh-agent"],
        flags: "-c -s -k -d -D",
        valued: "-a -E -O -P -t",
        rules: RUNS_OPERANDS,
        examples: &[("ssh-agent -t 5 sudo id", Expect::Denied("takes other rights"))],
        plain_lines: &["ssh-agent -s"],
        ..Program::LEADING
    },
    Program {
        family: &["dbus-run-session", "dbus-launch"],
        flags: "--sh-syntax --csh-syntax --exit-with-session --exit-with-x11 --auto-syntax --close-stderr --binary-syntax",
        valued: "--config-file --dbus-daemon",
        optional: "--autolaunch",
        rules: &[always(RunsWords(At::From(0))), when(Has("--dbus-daemon"), Hides("a message bus of its own choice"))],
        examples: &[
            ("dbus-run-session -- sudo id", Expect::Denied("takes other rights")),
            ("dbus-run-session --dbus-daemon=./x ls", Expect::Opaque("of its own choice")),
        ],
        ..Program::LEADING
    },
    Program {
        family: &["xvfb-run", "startx", "xinit", "cage"],
        flags: "-a|--auto-servernum -l|--listen-tcp -d",
        valued: "-e|--error-file -f|--auth-file -n|--server-num -p|--xauth-protocol -s|--server-args -w|--wait",
        rules: RUNS_OPERANDS,
        examples: &[("xvfb-run -a sudo id", Expect::Denied("takes other rights"))],
        plain_lines: &["xvfb-run -s '-screen 0 1x1x24' npm test"],
        ..Program::LEADING
    },
    Program {
        names: &["watch"],
        flags: "-b|--beep -c|--color -C|--no-color -e|--errexit -f|--follow -g|--chgexit -p|--precise -r|--no-rerun -t|--no-title \
                    -w|--no-wrap|--no-linewrap -x|--exec",
        valued: "-n|--interval -q|--equexit -s|--shotsdir",
        optional: "-d|--differences",
        rules: &[when(Lacks("--exec"), RunsLine(At::From(0))), when(Has("--exec"), RunsWords(At::From(0)))],
        is_exhaustive: true,
        examples: &[
            ("watch sudo id", Expect::Denied("takes other rights")),
            ("watch -n1 -d 'ls; sudo id'", Expect::Denied("takes other rights")),
            ("watch -x sudo id", Expect::Denied("takes other rights")),
            ("watch --odd ls", Expect::Opaque("`--odd` of `watch`")),
        ],
        plain_lines: &["watch -n 1 date"],
        ..Program::LEADING
    },
    Program {
        names: &["watchexec"],
        flags: "-1 -r|--restart -c|--clear -n|--no-shell -p|--postpone -q|--quiet --watch-when-idle -N|--notify \
                    -k|--kill --no-vcs-ignore --no-project-ignore --no-global-ignore --no-default-ignore --no-discover-ignore \
                    --ignore-nothing -v -vv --no-process-group --no-meta --print-events --timings --only-emit-events -I",
        valued: "-w|--watch -W -e|--exts -f|--filter -i|--ignore -s|--signal -o|--on-busy-update -d|--debounce --shell \
                     --stop-signal --stop-timeout --map-signal --delay-run --poll --workdir -E|--env --emit-events-to \
                     --project-origin --filter-file --ignore-file -j|--filter-prog --fs-events --color --wrap-process --env-file",
        rules: &[
            when(Lacks("--no-shell --shell"), RunsLine(At::From(0))),
            when(Has("--no-shell"), RunsWords(At::From(0))),
            when(Has("--shell"), RunsLine(At::From(0))),
            when(Has("--shell"), Hides("`watchexec` with a shell of its own choice")),
            always(Sets(At::Value("--env"))),
        ],
        examples: &[
            ("watchexec -e rs 'sudo id'", Expect::Denied("takes other rights")),
            ("watchexec -n -- sudo id", Expect::Denied("takes other rights")),
        ],
        plain_lines: &["watchexec -e rs,toml cargo test"],
        ..Program::LEADING
    },
    Program {
        names: &["entr"],
        flags: "-a -c -d -n -p -r -s -x -z",
        rules: &[when(Has("-s"), RunsLine(At::From(0))), when(Lacks("-s"), RunsWords(At::From(0)))],
        examples: &[
            ("ls | entr -r sudo id", Expect::Denied("takes other rights")),
            ("ls | entr -cs 'ls; sudo id'", Expect::Denied("takes other rights")),
        ],
        plain_lines: &["ls *.rs | entr -c cargo test"],
        ..Program::LEADING
    },
    Program {
        names: &["nodemon"],
        flags: "-V|--verbose -q|--quiet -C|--on-change-only -L|--legacy-watch -I|--no-stdin --spawn -d|--dump -h --exitcrash \
                    --no-colors --no-update-notifier --colors",
        valued: "-x|--exec -e|--ext -w|--watch -i|--ignore --delay --config -s|--signal --cwd",
        optional: "--inspect --inspect-brk",
        rules: &[always(RunsLine(At::Value("--exec"))), when(Lacks("--exec"), RunsScript(At::Nth(0)))],
        examples: &[
            ("nodemon --exec 'sudo id'", Expect::Denied("takes other rights")),
            ("nodemon -x 'sudo id' x.py", Expect::Denied("takes other rights")),
            ("echo x > a.js; nodemon a.js", Expect::Opaque("written by this very line")),
        ],
        plain_lines: &["nodemon server.js"],
        ..Program::LEADING
    },
    Program {
        family: &[
            "xterm", "uxterm", "urxvt", "rxvt", "konsole", "gnome-terminal", "alacritty", "kitty", "foot", "st",
            "wezterm", "terminator", "xfce4-terminal", "lxterminal", "mate-terminal", "tilix", "ghostty",
            "x-terminal-emulator", "ptyxis",
        ],
        last: "-e -x --",
        style: Style::Single,
        rules: &[
            when(Lacks("--version --help"), Hides("it runs commands in a window of its own")),
            always(RunsWords(At::Behind("-e -x"))),
            always(RunsWords(At::AfterDashes)),
        ],
        examples: &[
            ("xterm", Expect::Opaque("a window of its own")),
            ("xterm -e sudo id", Expect::Denied("takes other rights")),
            ("gnome-terminal -- sudo id", Expect::Denied("takes other rights")),
        ],
        ..Program::GNU
    },
    Program {
        family: &["tmux", "byobu"],
        valued: "-f -L -S -T -c",
        flags: "-2 -C -CC -D -l -N -u -v -V",
        style: Style::Leading,
        // The command is analysed too, to find programs on the blocklist, which are refused without
        // a question.
        rules: &[when(Lacks("-V"), By(hosted))],
        subcommands: &[
            hosting("new-session|new", "-A -d -D -E -P -X", "-c -e -f -F -n -s -t -x -y"),
            hosting("new-window|neww", "-a -b -d -k -P -S", "-c -e -F -n -t"),
            hosting("split-window|splitw", "-b -d -f -h -I -v -P -Z", "-c -e -F -l -p -t"),
            hosting("respawn-pane|respawnp respawn-window|respawnw", "-k", "-c -e -t"),
            hosting("run-shell|run", "-b -C", "-c -d -t"),
            hosting("pipe-pane|pipep", "-I -o -O", "-t"),
            hosting("display-popup|popup", "-B -C -E -k -N", "-b -c -d -e -h -s -S -t -T -w -x -y"),
            command(
                "if-shell|if",
                Syntax { flags: "-b -F", valued: "-t", ..Syntax::LEADING },
                &[always(RunsLine(At::Nth(0)))],
            ),
        ],
        abbreviates: true,
        examples: &[
            ("tmux new -d 'sudo id'", Expect::Denied("takes other rights")),
            ("tmux new-s -d -s x sudo id", Expect::Denied("takes other rights")),
            ("tmux -L x split-window -h -l 5 sudo id", Expect::Denied("takes other rights")),
            ("tmux run -b 'sudo id'", Expect::Denied("takes other rights")),
            ("tmux if-shell 'sudo id' x", Expect::Denied("takes other rights")),
            ("tmux new -d 'sudo id'", Expect::Opaque("a terminal that runs commands")),
            ("tmux ls \\; new -d id", Expect::Opaque("a terminal that runs commands")),
            ("tmux display -p '#(id)'", Expect::Opaque("a terminal that runs commands")),
            ("tmux -L x send-keys -t 0 id Enter", Expect::Opaque("a terminal that runs commands")),
        ],
        plain_lines: &["tmux ls", "tmux -V", "tmux -L x capture-pane -p -t 0"],
        ..Program::GNU
    },
    Program {
        names: &["screen"],
        flags: "-a -A -d -D -i -l -ls|-list -m -O -q -r -R -RR -U -v|--version -wipe -x -X -Q -L --help",
        valued: "-c -e -h -p -s -S -t -T -Logfile",
        rules: &[when(Lacks("-ls -v -wipe --help"), HOSTS), always(RunsWords(At::From(0)))],
        examples: &[
            ("screen -dm sudo id", Expect::Denied("takes other rights")),
            ("screen -d -m -S x sudo id", Expect::Denied("takes other rights")),
            ("screen -dmS x sudo id", Expect::Denied("takes other rights")),
            ("screen -dm id", Expect::Opaque("a terminal that runs commands")),
        ],
        plain_lines: &["screen -ls"],
        ..Program::LEADING
    },
    Program {
        family: &["zellij", "mosh-server", "wezterm-mux-server"],
        flags: "-*",
        rules: &[
            when_all(&[FirstIsNot("ls list-sessions"), Lacks("--version")], HOSTS),
            when(First("run"), RunsWords(At::From(1))),
            always(RunsWords(At::AfterDashes)),
        ],
        examples: &[
            ("zellij run -- sudo id", Expect::Denied("takes other rights")),
            ("zellij run sudo id", Expect::Denied("takes other rights")),
            ("mosh-server new -s -- sudo id", Expect::Denied("takes other rights")),
        ],
        plain_lines: &["zellij ls"],
        ..Program::EXACT
    },
    Program {
        family: &["abduco", "dtach"],
        flags: "-v --version -A -a -c -n -N -l -z -E -f -q",
        valued: "-e -r",
        rules: &[when(AtLeast(1), HOSTS), always(RunsWords(At::From(1)))],
        examples: &[
            ("dtach -n x sudo id", Expect::Denied("takes other rights")),
            ("abduco -c x sudo id", Expect::Denied("takes other rights")),
            ("dtach -A x -z vim", Expect::Opaque("a terminal that runs commands")),
        ],
        plain_lines: &["abduco"],
        ..Program::LEADING
    },
    Program {
        family: &["at", "batch"],
        flags: "-l -m -M -b -v -V -c -d -r",
        valued: "-q -t -f",
        rules: &[
            when(Lacks("-l -V -c"), Hides("it runs commands later")),
            when_all(&[Lacks("-l -V -c"), Fed], RunsLine(At::Input)),
            always(RunsScript(At::Value("-f"))),
        ],
        examples: &[
            ("at now <<< 'sudo id'", Expect::Denied("takes other rights")),
            ("at now <<< 'id'", Expect::Opaque("runs commands later")),
            ("batch < f", Expect::Opaque("runs commands later")),
        ],
        plain_lines: &["at -l"],
        ..Program::GNU
    },
    Program {
        family: &["crontab", "anacron", "fcrontab"],
        flags: "-l -e -r -i -n -T",
        valued: "-u -s",
        rules: &[
            when(Lacks("-l"), Hides("it runs commands later")),
            when(Has("-r"), Says(Consequence::Destroys, "removes what is to run later")),
        ],
        examples: &[
            ("crontab x", Expect::Opaque("runs commands later")),
            ("crontab -", Expect::Opaque("runs commands later")),
            ("crontab -r", Expect::Asks("removes what is to run later")),
        ],
        plain_lines: &["crontab -l"],
        ..Program::GNU
    },
    Program {
        names: &["direnv"],
        subcommands: &[
            command("exec", Syntax::LEADING, &[always(RunsWords(At::From(1))), always(RunsScript(At::Path(".envrc")))]),
            ruled(
                "allow|permit|grant",
                &[always(Hides("`direnv allow` lets a file run whenever its folder is entered"))],
            ),
        ],
        plain: "status deny block disallow revoke hook version prune reload fetchurl export edit",
        examples: &[
            ("direnv exec . sudo id", Expect::Denied("takes other rights")),
            ("direnv allow", Expect::Opaque("whenever its folder is entered")),
        ],
        plain_lines: &["direnv status"],
        ..Program::LEADING
    },
];

/// The command of `flock` after its file: a line after `-c`, else words.
fn locked(parsed: &Parsed<'_>) -> Vec<Effect> {
    if let Some(doubt) = parsed.doubt() {
        return vec![doubt, Effect::runs(parsed.from(1).to_vec()), Effect::runs(parsed.from(0).to_vec())];
    }
    match parsed.from(1) {
        [first, rest @ ..] if matches!(first.text.as_str(), "-c" | "--command") => {
            rest.first().cloned().map(Effect::Line).into_iter().collect()
        }
        words => vec![Effect::runs(words.to_vec())],
    }
}

/// The files in which `script` records a session.
fn recorded(parsed: &Parsed<'_>) -> Vec<Effect> {
    let logs = parsed.values("--log-in --log-out --log-io --log-timing --timing").cloned();
    let file = parsed.operand(0).cloned();
    let default = (file.is_none() && !parsed.has("--version")).then(|| Value::exact("typescript"));
    logs.chain(file).chain(default).map(|path| Effect::path(path, Access::Write)).collect()
}
