//! Tools for Perl and Ruby, configuration managers, and load testers. Each runs files of code that
//! its arguments name.

use crate::reader::Value;
use crate::registry::prelude::*;

const SYSTEM: Does = Says(Consequence::ChangesSystem, "changes the machine as a file says");

pub(super) static ALL: &[Program] = &[
    Program {
        family: &[
            "cpan", "cpanm", "cpanplus", "ppm", "luarocks", "pear", "pecl", "raco", "zef", "alr", "shards", "opm",
        ],
        flags: "--installdeps --local -*",
        valued: "-l|--local-lib --local-lib-contained -L -j -I --tree --server --mirror --from --config --lua-dir",
        rules: &[
            when(Fed, Hides("a manager of packages that runs what it reads")),
            when_all(&[Has("-l -L --installdeps --tree --local"), AtLeast(1)], NeedsNetwork),
            when_all(
                &[
                    Lacks(
                        "-l -L --installdeps --tree --local -v -h --help --version --info -D -a -O -J --look --self-contained",
                    ),
                    FirstIsNot(
                        "list search show info help version path doc which config lint test build check make get clean docs exe expand run",
                    ),
                    AtLeast(1),
                ],
                Says(Consequence::ChangesSystem, "installs programs outside of the workspace"),
            ),
            when(First("upload publish"), Is(Consequence::Publishes)),
            always(Connects(At::Value("--server --mirror --from"))),
        ],
        examples: &[
            ("cpan Foo::Bar", Expect::Asks("outside of the workspace")),
            ("cpanm Foo::Bar", Expect::Asks("outside of the workspace")),
            ("echo '! id' | cpan", Expect::Opaque("runs what it reads")),
            ("luarocks upload x.rockspec", Expect::Asks("publishes")),
            ("cpanm --mirror https://host/x -l local Foo", Expect::Connects("https://host/x")),
        ],
        plain_lines: &["luarocks list"],
        ..Program::EXACT
    },
    Program {
        family: &["prove", "plackup", "morbo", "hypnotoad", "starman", "dzil", "perlcritic", "perltidy", "yath"],
        flags: "-v|--verbose -l|--lib -b|--blib -r|--recurse -s|--shuffle -t -T -w -W -q|--quiet -Q -c --color --nocolor --count -f -o \
                    --norc --dry -D -p --parse --timer --trap --merge --reload|-R --no-default-middleware --help --version -b",
        valued: "-I -P -M -m -e|--exec --source --harness --formatter -j|--jobs --state --rc --rules -a|--app -E|--env --port --host \
                     --server -x --archive -L --pidfile --profile|--pro",
        rules: &[
            when(Has("-M -m -P --harness --formatter --source"), Hides("code that is loaded by its name")),
            when(Has("-e"), Hides("tests, or an application, by a program or code of its own choice")),
            always(RunsScript(At::Value("-a"))),
            when(Lacks("--help --version"), By(scripts)),
            when(First("release"), Is(Consequence::Publishes)),
        ],
        examples: &[
            ("prove -e 'sudo id' t", Expect::Opaque("of its own choice")),
            ("prove -MFoo t", Expect::Opaque("loaded by its name")),
            ("plackup -e 'system(\"id\")'", Expect::Opaque("of its own choice")),
            ("plackup x.psgi", Expect::Scripts("x.psgi")),
            ("prove t/x.t", Expect::Scripts("t/x.t")),
            ("dzil release", Expect::Asks("publishes")),
        ],
        plain_lines: &["prove -lr t"],
        ..Program::EXACT
    },
    Program {
        family: &["puma", "unicorn", "thin", "rackup", "sidekiq", "erb", "guard", "middleman", "nanoc", "dexec"],
        flags: "-v -h --version --help -d|--debug -q -w -D --quiet -x -n -P -S",
        valued: "-C|--config|-c -r|--require -e|--environment|--eval -p|--port -b|--bind -t|--threads -o|--host -I|--include -s|--server \
                     -E|--env -G|--guardfile -T --rackup -b --builder --plugin -g --group",
        rules: &[
            always(Obeys("config.ru config/puma.rb Guardfile")),
            always(RunsScript(At::Value("-C -r -G"))),
            when(Has("--eval -b --builder"), ByOption(evaluates)),
            always(RunsScript(At::Nth(0))),
        ],
        examples: &[
            ("puma -C x.rb", Expect::Scripts("x.rb")),
            ("sidekiq -r ./x.rb", Expect::Scripts("x.rb")),
            ("erb x.erb", Expect::Scripts("x.erb")),
            ("rackup --eval 'system(1)'", Expect::Opaque("code of a server")),
        ],
        plain_lines: &["puma -p 3000"],
        ..Program::EXACT
    },
    Program {
        family: &[
            "puppet", "facter", "chef-client", "chef-apply", "chef-solo", "knife", "salt", "salt-call", "salt-ssh",
            "pyinfra", "cdist", "bolt", "fab", "rex", "cf-agent", "drone-exec",
        ],
        flags: "-*",
        valued: "-e|--execute|--exec|-E --custom-dir --external-dir -c|--config -j -z --script -f|--fabfile --hiera_config --modulepath -t|--targets -u|--user -H",
        rules: &[
            when(Has("-e"), Hides("code of a manager of configurations")),
            when(
                Has("--custom-dir --external-dir --modulepath -c --hiera_config -z"),
                Hides("a manager of configurations with code from elsewhere"),
            ),
            always(RunsScript(At::Value("--script -f"))),
            when_all(
                &[First("exec ssh command task plan script cmd.run cmd.script state.apply"), AtLeast(2)],
                Hides("a command that is run on other machines"),
            ),
            when(OperandStarts("cmd. state. salt."), Hides("a command that is run on other machines")),
            when_all(&[First("apply agent bootstrap delete upload"), Lacks("--noop --help")], SYSTEM),
            when(
                FirstIsNot(
                    "apply agent bootstrap delete upload exec ssh command task plan script help doc module lookup resource config describe facts \
                     parser node list show status search environment cookbook role version -l",
                ),
                By(manages),
            ),
        ],
        examples: &[
            ("puppet apply -e 'exec {x:}'", Expect::Opaque("code of a manager")),
            ("puppet apply x.pp", Expect::Asks("as a file says")),
            ("facter --custom-dir=. x", Expect::Opaque("from elsewhere")),
            ("knife exec -E 'system(1)'", Expect::Opaque("code of a manager")),
            ("salt '*' cmd.run id", Expect::Opaque("on other machines")),
            ("chef-apply x.rb", Expect::Asks("as a file says")),
            ("pyinfra @local deploy.py", Expect::Asks("as a file says")),
        ],
        plain_lines: &["puppet parser validate x.pp", "facter os"],
        ..Program::EXACT
    },
    Program {
        family: &[
            "k6", "artillery", "locust", "newman", "gulp", "grunt", "karma", "hygen", "plop", "jscodeshift",
            "papermill", "marimo", "pelican", "nikola", "scrapy", "streamlit", "mitmdump", "mitmproxy", "mitmweb",
            "bats", "shellspec", "zunit", "testinfra", "gatling", "tsung", "siege-js",
        ],
        flags: "-*",
        valued: "-f|--locustfile|--gulpfile|--gruntfile -s|--script|--settings --plopfile -t|--transform --config -c --require -r|--reporter -e|--environment|--env \
                     -o|--output|--out --formatter -k --shell --iteration-data -d -u --vus --duration -a --tag --cwd -p|--preset",
        rules: &[
            always(ObeysAround(
                "gulpfile.* Gruntfile.* gruntfile.* karma.conf.* locustfile.py plopfile.* pelicanconf.py conf.py scrapy.cfg .shellspec",
            )),
            always(RunsScript(At::Value("-f --plopfile -t"))),
            when(Has("-s --require"), ByOption(loaded)),
            when(Has("--shell --formatter"), Hides("tests by a program of its own choice")),
            when(First("run runspider edit start archive cloud"), RunsScript(At::Nth(1))),
            when(First("cloud deploy"), Is(Consequence::Publishes)),
            when(First("shell"), Hides("an interpreter that runs what it reads")),
            when(OperandHas(".bats _spec.sh .ipynb .zunit"), RunsScript(At::Nth(0))),
            always(Writes(At::Value("-o"))),
            when(OperandHas(".ipynb"), Writes(At::Nth(1))),
        ],
        examples: &[
            ("papermill a.ipynb .envrc", Expect::Writes(".envrc")),
            ("k6 run x.js", Expect::Scripts("x.js")),
            ("k6 cloud x.js", Expect::Asks("publishes")),
            ("locust -f x.py", Expect::Scripts("x.py")),
            ("gulp --gulpfile x.js build", Expect::Scripts("x.js")),
            ("jscodeshift -t x.js src", Expect::Scripts("x.js")),
            ("mitmdump -s x.py", Expect::Scripts("x.py")),
            ("scrapy shell", Expect::Opaque("runs what it reads")),
            ("bats x.bats", Expect::Scripts("x.bats")),
            ("shellspec --shell ./x", Expect::Opaque("of its own choice")),
            ("k6 run -o .envrc x.js", Expect::Writes(".envrc")),
        ],
        plain_lines: &["bats -r tests"],
        ..Program::EXACT
    },
    Program {
        family: &["dlv", "gotestsum", "ginkgo", "jdb", "ndb", "pudb", "rdebug", "perldebug"],
        flags: "--raw-command -*",
        valued: "--init --post-run-command --output|-o --wd --build-flags --log-dest --redirect|-r --backend -l|--listen --junitfile --jsonfile \
                     -f|--format --packages -classpath|-sourcepath --listen",
        rules: &[
            always(RunsScript(At::Value("--init"))),
            when(Has("--init"), Hides("a debugger that runs what a file says")),
            always(RunsLine(At::Value("--post-run-command"))),
            when(First("exec"), RunsWords(At::From(1))),
            when(Has("--raw-command"), RunsWords(At::From(0))),
            when(Lacks("--raw-command"), By(tested)),
            when(Fed, Hides("a debugger that runs what it reads")),
            when(First("attach connect"), Hides("a debugger of another process")),
            always(Writes(At::Value("--output --junitfile --jsonfile --log-dest"))),
        ],
        examples: &[
            ("dlv exec sudo -- id", Expect::Denied("takes other rights")),
            ("dlv debug --init x", Expect::Opaque("what a file says")),
            ("dlv attach 1", Expect::Opaque("another process")),
            ("gotestsum --post-run-command 'rm -rf x'", Expect::Runs("rm -rf x")),
            ("gotestsum --raw-command -- sudo id", Expect::Denied("takes other rights")),
            ("gotestsum --raw-command git push", Expect::Runs("git push")),
            ("gotestsum --junitfile .envrc", Expect::Writes(".envrc")),
            ("gotestsum -- -exec sudo ./...", Expect::Runs("sudo")),
        ],
        plain_lines: &["gotestsum ./..."],
        ..Program::EXACT
    },
];

/// The command line that `gotestsum` passes to `go test`.
fn tested(parsed: &Parsed<'_>) -> Vec<Effect> {
    let given = parsed.after_dashes();
    let words = ["go", "test"].into_iter().map(Value::exact).chain(given.iter().cloned()).collect();
    let is_meant = parsed.command.name() == "gotestsum" && !given.is_empty();
    is_meant.then(|| Effect::runs(words)).into_iter().collect()
}

/// The scripts among the operands; folders of tests do not count.
fn scripts(parsed: &Parsed<'_>) -> Vec<Effect> {
    let is_script = |file: &&Value| [".t", ".pl", ".psgi", ".pm"].iter().any(|end| file.text.ends_with(end));
    parsed.operands().filter(is_script).cloned().map(Effect::Script).collect()
}

/// Code given by `--eval`; in some programs `-e` names the environment instead.
fn evaluates(parsed: &Parsed<'_>) -> Vec<Effect> {
    let has = |option: &str| parsed.command.args.iter().any(|arg| arg.text.split('=').next() == Some(option));
    let is_code = has("--eval") || has("--builder") || (parsed.command.name() == "rackup" && (has("-e") || has("-b")));
    is_code.then(|| Effect::hidden("code of a server by an option")).into_iter().collect()
}

/// A program that changes the machine as a file says, without a subcommand.
fn manages(parsed: &Parsed<'_>) -> Vec<Effect> {
    let is_own = ["chef-apply", "chef-solo", "chef-client", "pyinfra", "cdist", "fab", "rex", "cf-agent", "salt-call"];
    let acts = is_own.contains(&parsed.command.name()) && !parsed.has("--help -h --version");
    let why = "changes the machine as a file says";
    acts.then(|| Effect::says(Consequence::ChangesSystem, why)).into_iter().collect()
}

/// A proxy script, or settings that are code.
fn loaded(parsed: &Parsed<'_>) -> Vec<Effect> {
    parsed.values("-s --require").filter(|value| value.text.contains(['.', '/'])).cloned().map(Effect::Script).collect()
}
