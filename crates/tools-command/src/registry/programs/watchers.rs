//! Programs that run a command when files change, and programs that run the processes listed in a
//! file.

use crate::registry::prelude::*;

pub(super) static ALL: &[Program] = &[
    Program {
        family: &["onchange", "chokidar", "when-changed", "reflex", "gow", "nodemon-lite", "watchexec-lite"],
        flags: "-i|--initial -k|--kill -w|--wait -v|--verbose -s|--sequential --all --silent --polling -1 -a --no-initial -p",
        valued: "-c|--command -e|--exclude-path|--exclude -d|--delay|--debounce -f|--filter -o|--outpipe -j|--jobs -t -r|--regex -g|--glob \
                     -R|--inverse-regex -G|--inverse-glob --shutdown-timeout --poll-interval -x|--exclude-regex",
        rules: &[
            always(RunsLine(At::Value("--command --outpipe"))),
            always(RunsWords(At::AfterDashes)),
            when_all(&[Lacks("-c"), AtLeast(1)], Hides("a command that is run when files change")),
        ],
        examples: &[
            ("onchange 'src/**' -- sudo id", Expect::Denied("takes other rights")),
            ("chokidar '**/*.js' -c 'sudo id'", Expect::Denied("takes other rights")),
            ("reflex -r x sudo id", Expect::Opaque("when files change")),
            ("chokidar '**/*.js' -c 'npm test'", Expect::Runs("npm test")),
        ],
        ..Program::GNU
    },
    Program {
        names: &["watchfiles"],
        flags: "-v|--verbose --non-recursive -V|--version",
        valued: "--ignore-paths --target-type --filter --args --verbosity --sigint-timeout --grace-period --sigkill-timeout \
                     --ignore-permission-denied",
        rules: &[always(RunsLine(At::Nth(0))), when(Has("--filter"), Hides("a filter that is code"))],
        examples: &[
            ("watchfiles 'sudo id' src", Expect::Denied("takes other rights")),
            ("watchfiles 'pytest -q' src", Expect::Runs("pytest -q")),
        ],
        ..Program::EXACT
    },
    Program {
        family: &["watchman", "watchman-make", "watchman-wait"],
        flags: "-j|--json-command -n|--no-save-state -p|--persistent --no-spawn --no-pretty --no-local -f -v --version -h|--help",
        valued: "-r|--run -t|--target --make --settle -s|--statefile -o|--logfile --root --fields -m|--max-events -U|--unix-listener-path",
        rules: &[
            always(RunsLine(At::Value("--run"))),
            when(Has("--make"), Hides("a build by a program of its own choice")),
            when(First("trigger trigger-del"), Hides("a command that is run when files change")),
            when(Has("-j"), Hides("commands of `watchman` that it reads")),
            always(RunsWords(At::AfterDashes)),
            always(Writes(At::Value("--statefile --logfile"))),
        ],
        examples: &[
            ("watchman-make -p 'x' --run 'sudo id'", Expect::Denied("takes other rights")),
            ("watchman -- trigger . x '*.c' -- make", Expect::Opaque("when files change")),
            ("watchman -j", Expect::Opaque("that it reads")),
        ],
        plain_lines: &["watchman watch-list"],
        ..Program::EXACT
    },
    Program {
        family: &[
            "foreman", "honcho", "overmind", "hivemind", "goreman", "nf", "process-compose", "mprocs", "shoreman",
        ],
        flags: "-v -h --version --help -D --daemonize --no-prefix -T --trim",
        valued: "-f|--procfile|--file -e|--env -d|--root|--app-root|--working-dir -p|--port -c|--concurrency|--formation -m -l|--formation-list -u",
        rules: &[
            when(First("run exec"), RunsWords(At::From(1))),
            always(RunsScript(At::Value("-f"))),
            when_all(
                &[FirstIsNot("run exec version help check ps status list"), Lacks("-f -h -v")],
                Follows("Procfile"),
            ),
        ],
        examples: &[
            ("foreman run sudo id", Expect::Denied("takes other rights")),
            ("honcho start", Expect::Scripts("Procfile")),
            ("overmind -f x/Procfile start", Expect::Scripts("x/Procfile")),
            ("foreman --odd run x", Expect::Opaque("`--odd` of `foreman`")),
        ],
        plain_lines: &["foreman check"],
        ..Program::LEADING
    },
    Program {
        family: &["pm2", "forever", "pm2-runtime", "pm2-dev"],
        flags: "--watch --no-daemon -f|--force -s|--silent --no-autorestart -w --update-env -a --minUptime --no-color --attach -m --mini-list",
        valued: "-n|--name -i|--instances --interpreter|--interpreter-args|--node-args|-c --cwd -l|--log -o|--output -e|--error -p|--pid \
                     --max-memory-restart --cron-restart --exp-backoff-restart-delay --env --uid --sourceDir --workingDir --spinSleepTime -u|--user",
        rules: &[
            always(ObeysAround("ecosystem.config.*")),
            when(Has("--interpreter"), Hides("a program that is kept running by another of its own choice")),
            when(First("start restart reload startOrRestart startOrReload serve watch"), By(kept)),
            when(
                FirstIsNot(
                    "start restart reload startOrRestart startOrReload serve watch stop stopall restartall delete del list ls l status jlist prettylist \
                     describe show info logs flush monit save dump resurrect startup unstartup kill ping scale id pid reset module:update \
                     install uninstall columns config set clear cleanlogs version plus link unlink conf get",
                ),
                RunsScript(At::Nth(0)),
            ),
            when(
                First("startup unstartup start restart restartall reload startOrRestart startOrReload serve resurrect"),
                Says(Consequence::ChangesSystem, "changes services"),
            ),
            when(First("deploy"), Is(Consequence::Publishes)),
        ],
        examples: &[
            ("pm2 start app.js --name x", Expect::Scripts("app.js")),
            ("pm2 start x --interpreter ./y", Expect::Opaque("of its own choice")),
            ("forever app.js", Expect::Scripts("app.js")),
            ("pm2 startup", Expect::Asks("changes services")),
            ("pm2 start app.js", Expect::Asks("changes services")),
            ("pm2 restart all", Expect::Asks("changes services")),
            ("pm2 start 'rm -rf x'", Expect::Runs("rm -rf x")),
            ("pm2 start rm -- -rf x", Expect::Runs("rm -rf x")),
        ],
        plain_lines: &["pm2 logs", "pm2 stop all"],
        ..Program::EXACT
    },
    Program {
        family: &["npm-run-all", "run-s", "run-p", "npm-run-all2"],
        flags: "-s|--silent|--serial|--sequential -p|--parallel -l|--print-label -n|--print-name -c|--continue-on-error -r|--race \
                    --aggregate-output -v|--version -h|--help",
        valued: "--max-parallel --npm-path",
        rules: &[
            when(Has("--npm-path"), Hides("scripts run by a program of its own choice")),
            when(AtLeast(1), Follows("package.json")),
        ],
        examples: &[
            ("run-s build test", Expect::Scripts("package.json")),
            ("npm-run-all --npm-path ./x build", Expect::Opaque("of its own choice")),
        ],
        plain_lines: &["run-p 'watch:*'"],
        ..Program::EXACT
    },
];

/// The process that `pm2` keeps running: a file, a program by its name, or a line.
fn kept(parsed: &Parsed<'_>) -> Vec<Effect> {
    let Some(target) = parsed.operand(1) else { return Vec::new() };
    if target.text.contains(char::is_whitespace) {
        return vec![Effect::Line(target.clone())];
    }
    if target.text.contains(['.', '/']) {
        return vec![Effect::Script(target.clone())];
    }
    let words = std::iter::once(target).chain(parsed.after_dashes()).cloned().collect();
    vec![Effect::runs(words)]
}
