//! Version control systems besides `git`: `hg`, `svn`, `jj`.

use super::git::cloned;
use crate::reader::Value;
use crate::registry::prelude::*;

const DISCARDS: Does = Is(Consequence::DiscardsWork);
const OWN: Does = Hides("a program of one's own choice for the other side");

/// Options that name the programs for a connection.
const REACHES: [Rule; 3] = [
    when(Has("--ssh --remotecmd"), OWN),
    always(RunsLine(At::Value("--ssh --remotecmd"))),
    always(Connects(At::Remotes)),
];
const REACHING: Syntax = Syntax {
    flags: "-f|--force -u -U --pull --uncompressed",
    valued: "-e|--ssh --remotecmd -r|--rev -b|--branch -B",
    ..Syntax::GNU
};

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["hg", "chg", "rhg"],
        flags: "-y|--noninteractive -q|--quiet -v|--verbose --debug --debugger --traceback --time --profile --version \
                    -h|--help --hidden",
        valued: "-R|--repository --cwd --color --config --encoding --encodingmode --pager",
        folder: "--cwd --repository",
        rules: &[always(ByOption(settings))],
        subcommands: HG,
        plain: "abort absorb addremove amend annotate archive backout blame bookmarks bookmark branch branches \
                cat continue copy cp diff evolve fetch files forget fold glog graft grep heads help histedit \
                import init locate log history manifest merge mq next parents paths prev qnew recover rebase rename move mv resolve \
                root shelve show status st summary sum tag tags tip topics topic unbundle unshelve verify version add commit ci id \
                identify",
        abbreviates: true,
        otherwise: Otherwise::Opaque("an alias or an extension that is not known"),
        examples: &[
            ("hg push", Expect::Asks("publishes")),
            ("hg pus -f", Expect::Asks("publishes")),
            ("hg --cwd x push", Expect::Is("hg push")),
            ("hg push --remotecmd sudo", Expect::Runs("sudo")),
            ("hg --config alias.x='!sudo id' x", Expect::Runs("sudo id")),
            ("hg --conf ui.ssh=sudo pull", Expect::Runs("sudo")),
            ("hg update -C", Expect::Asks("discards changes")),
            ("hg revert --all --no-backup", Expect::Asks("discards changes")),
            ("hg strip 1", Expect::Asks("discards changes")),
            ("hg purge", Expect::Asks("deletes files")),
            ("hg bisect -c 'sudo id'", Expect::Runs("sudo id")),
            ("hg extdiff -p sudo", Expect::Runs("sudo")),
            ("hg email --to x", Expect::Asks("publishes")),
            ("hg clone https://host/x", Expect::Connects("https://host/x")),
            ("hg frob", Expect::Opaque("an alias or an extension")),
        ],
        plain_lines: &["hg archive x", "hg status", "hg commit -m x", "hg diff -r tip", "hg pull -u"],
        ..Program::GNU
    },
    Program {
        names: &["svn"],
        flags: "-q|--quiet -v|--verbose --version -h|--help -? --non-interactive --force-interactive --no-auth-cache \
                    --trust-server-cert --password-from-stdin -R|--recursive -N|--non-recursive --force --force-log --dry-run \
                    --remove-unversioned --remove-ignored --revprop --parents --keep-local --xml --incremental -u \
                    --show-updates --ignore-ancestry --summarize --stop-on-copy -g",
        valued: "--username --password --config-dir --config-option --diff-cmd --diff3-cmd --editor-cmd --trust-server-cert-failures \
                     -r|--revision -c|--change -m|--message -F|--file --encoding --depth --set-depth --targets --changelist|--cl \
                     --with-revprop --accept --native-eol -l|--limit -x|--extensions --old --new --strip",
        rules: &[
            when(Has("--config-dir --config-option"), Hides("`svn` with settings that may run a program")),
            when(Has("--diff-cmd --diff3-cmd --editor-cmd"), Hides("`svn` with a program of its own choice")),
            always(RunsLine(At::Value("--diff-cmd --diff3-cmd --editor-cmd"))),
            always(Connects(At::Remotes)),
        ],
        subcommands: SVN,
        examples: &[
            ("svn commit -m x", Expect::Asks("publishes")),
            ("svn ci -m x", Expect::Is("svn commit -m x")),
            ("svn --username x commit", Expect::Asks("publishes")),
            ("svn rm https://host/x -m y", Expect::Asks("publishes")),
            ("svn diff --diff-cmd sudo", Expect::Runs("sudo")),
            ("svn --config-option a:b:c=d up", Expect::Opaque("settings that may run")),
            ("svn revert -R .", Expect::Asks("discards changes")),
            ("svn cleanup --remove-unversioned", Expect::Asks("deletes files")),
            ("svn co https://host/x y", Expect::Connects("https://host/x")),
            ("svn rm x", Expect::Deletes("x")),
            ("svn --odd commit", Expect::Opaque("`--odd` of `svn`")),
        ],
        plain_lines: &["svn status", "svn diff", "svn update"],
        ..Program::EXACT
    },
    Program {
        names: &["jj"],
        flags: "--ignore-working-copy --ignore-immutable --debug --quiet --no-pager -h|--help -V|--version",
        valued: "-R|--repository --at-operation|--at-op --color --config --config-file --config-toml",
        rules: &[when(Has("--config --config-file --config-toml"), Hides("`jj` with settings that may run a program"))],
        subcommands: &[
            group(
                "git",
                &[
                    command(
                        "push",
                        Syntax { flags: "--dry-run", ..Syntax::EXACT },
                        &[when(Lacks("--dry-run"), PUBLISHES)],
                    ),
                    command("clone", Syntax::EXACT, &[always(Connects(At::Remotes)), always(By(cloned))]),
                    command("fetch", Syntax::EXACT, &[always(Connects(At::Remotes))]),
                    each("init"),
                ],
            ),
            ruled("util", &[when(First("exec"), RunsWords(At::From(1))), when(First("gc"), DISCARDS)]),
            ruled("config", &[when(First("set edit unset"), Hides("settings that later calls obey"))]),
            command("abandon restore undo", Syntax::EXACT, &[always(DISCARDS)]),
            command("op|operation", Syntax::EXACT, &[when(First("abandon restore revert undo"), DISCARDS)]),
            command("gerrit", Syntax::EXACT, &[when(First("upload"), PUBLISHES)]),
            command(
                "diff diffedit interdiff log resolve show split squash commit|ci evolog",
                Syntax { valued: "--tool", flags: "-*", ..Syntax::EXACT },
                &[when(Has("--tool"), Hides("`jj` with a tool of one's own choice"))],
            ),
        ],
        plain: "absorb backout bookmark b describe desc duplicate edit file fix help init metaedit new next parallelize prev \
                rebase revert root sign simplify-parents sparse st status tag redo unsign version workspace",
        otherwise: Otherwise::Opaque("an alias that is not known"),
        examples: &[
            ("jj git push", Expect::Asks("publishes")),
            ("jj --no-pager git push --all", Expect::Asks("publishes")),
            ("jj util exec -- sudo id", Expect::Runs("sudo id")),
            ("jj --config ui.pager=x log", Expect::Opaque("settings that may run")),
            ("jj abandon x", Expect::Asks("discards changes")),
            ("jj undo", Expect::Asks("discards changes")),
            ("jj restore --from x y", Expect::Asks("discards changes")),
            ("jj op restore x", Expect::Asks("discards changes")),
            ("jj operation abandon ..@-", Expect::Asks("discards changes")),
            ("jj diff --tool ./x", Expect::Opaque("own choice")),
            ("jj gerrit upload -r @", Expect::Asks("publishes")),
            ("jj frob", Expect::Opaque("an alias")),
        ],
        plain_lines: &["jj git push --dry-run", "jj commit -m x", "jj op log", "jj st", "jj log -r x"],
        ..Program::EXACT
    },
];

const PUSHES: &[Rule] = &[REACHES[0], REACHES[1], REACHES[2], always(PUBLISHES)];

const HG: &[Subcommand] = &[
    command("push", REACHING, PUSHES),
    command("pull incoming|in outgoing|out", REACHING, &REACHES),
    command("clone", REACHING, &[REACHES[0], REACHES[1], REACHES[2], always(By(cloned))]),
    command("email", Syntax::GNU, &[always(PUBLISHES)]),
    command("serve", Syntax::GNU, &[always(Says(Consequence::Publishes, "serves the repository to others"))]),
    command(
        "update|up|checkout|co",
        Syntax { flags: "-C|--clean -c|--check -m|--merge", valued: "-d|--date -r|--rev -t|--tool", ..Syntax::GNU },
        &[when(Has("--clean"), DISCARDS), when(Has("--tool"), OWN)],
    ),
    command(
        "revert",
        Syntax {
            flags: "-a|--all -C|--no-backup -n|--dry-run -i|--interactive",
            valued: "-d|--date -r|--rev",
            ..Syntax::GNU
        },
        &[when_all(&[Has("--all --no-backup"), Lacks("--dry-run")], DISCARDS)],
    ),
    command("strip debugstrip prune rollback qdelete", Syntax::GNU, &[always(DISCARDS)]),
    command(
        "purge|clean",
        Syntax { flags: "-p|--print", ..Syntax::GNU },
        &[when(Lacks("--print"), Says(Consequence::Destroys, "deletes files"))],
    ),
    command(
        "remove|rm",
        Syntax { flags: "-A|--after -f|--force -S|--subrepos -n|--dry-run", ..Syntax::GNU },
        &[when(Lacks("--dry-run"), DeletesTrees(At::All))],
    ),
    command(
        "bisect",
        Syntax {
            flags: "-r|--reset -g|--good -b|--bad -s|--skip -e|--extend -U",
            valued: "-c|--command",
            ..Syntax::GNU
        },
        &[always(RunsLine(At::Value("--command")))],
    ),
    command(
        "extdiff",
        Syntax {
            flags: "--patch --confirm --per-file",
            valued: "-p|--program -o|--option -r --from --to -c",
            ..Syntax::GNU
        },
        &[when(Has("--program"), OWN), always(RunsLine(At::Value("--program")))],
    ),
    command("export", Syntax { valued: "-o|--output", ..Syntax::GNU }, &[always(Writes(At::Value("--output")))]),
    command("bundle", REACHING, &[always(Writes(At::Nth(0)))]),
    command(
        "config|showconfig|debugconfig",
        Syntax { flags: "-e|--edit -l|--local -g|--global", ..Syntax::GNU },
        &[when(Has("--edit --local --global"), Hides("`hg config` opens an editor"))],
    ),
];

const BY_ADDRESS: &[Rule] = &[always(By(publishes_by_address))];

const fn remote(names: &'static str) -> Subcommand {
    ruled(names, BY_ADDRESS)
}

const SVN: &[Subcommand] = &[
    command("commit|ci import lock unlock", Syntax::EXACT, &[always(PUBLISHES)]),
    remote("mkdir"),
    remote("copy|cp"),
    remote("move|mv|rename|ren"),
    remote("propset|pset|ps"),
    remote("propdel|pdel|pd"),
    command(
        "delete|del|remove|rm",
        Syntax::EXACT,
        &[always(By(publishes_by_address)), when(Lacks("--keep-local"), DeletesTrees(At::All))],
    ),
    command("revert", Syntax::EXACT, &[when(Has("--recursive --depth"), DISCARDS), when(Operand("."), DISCARDS)]),
    command(
        "cleanup",
        Syntax::EXACT,
        &[when(Has("--remove-unversioned --remove-ignored"), Says(Consequence::Destroys, "deletes files"))],
    ),
    command("export", Syntax::EXACT, &[always(Writes(At::Nth(1))), always(By(cloned))]),
    ruled("checkout|co", &[always(By(cloned))]),
    ruled("switch", &[always(Unpacks(At::Nth(1)))]),
    each("status|stat|st update|up diff|di blame|praise|annotate|ann list|ls"),
];

/// Changes to a repository given by its address are published immediately.
fn publishes_by_address(parsed: &Parsed<'_>) -> Vec<Effect> {
    let is_remote = parsed.operands().any(|operand| operand.text.contains("://") || operand.text.starts_with('^'));
    is_remote.then(|| Effect::is(Consequence::Publishes)).into_iter().collect()
}

/// `--config section.key=value`: aliases, hooks and tools start programs, and those are analysed
/// all the same.
fn settings(parsed: &Parsed<'_>) -> Vec<Effect> {
    let mut found = Vec::new();
    for given in parsed.globals("--config").filter_map(|given| given.value.as_ref()) {
        let (key, value) = given.text.split_once('=').unwrap_or((&given.text, ""));
        let is_plain =
            ["ui.username", "ui.interactive", "ui.verbose", "ui.quiet", "phases.", "diff.", "color.", "progress."];
        if given.is_exact && is_plain.iter().any(|plain| key.starts_with(plain)) {
            continue;
        }
        found.push(Effect::hidden(format!("the `hg` setting `{key}` may run a program")));
        if given.is_exact {
            found.push(Effect::Line(Value::exact(value.trim_start_matches('!'))));
        }
    }
    found
}
