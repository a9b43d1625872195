//! Forge clients: `gh`, `glab` and similar programs. Reading is plain; changing what others see
//! asks.

use super::git::cloned;
use crate::registry::prelude::*;

const REMOVES: Does = Says(Consequence::DeletesForOthers, "deletes what others may use");

/// Options that every group of subcommands accepts before the verb.
const COMMON: Syntax = Syntax { flags: "-h|--help", valued: "-R|--repo --hostname", ..Syntax::EXACT };

/// Verbs that change what others see.
const fn changes(names: &'static str) -> Subcommand {
    const RULES: &[Rule] = &[when(Lacks("--dry-run --help"), PUBLISHES)];
    let syntax = Syntax {
        flags: "--dry-run -h|--help --fill --fill-first --fill-verbose --draft --web --squash --merge --rebase --auto --admin \
                --delete-branch",
        ..Syntax::EXACT
    };
    command(names, syntax, RULES)
}

const REMOVING: &[Rule] = &[always(REMOVES)];
const SIGNING: &[Rule] = &[always(IDENTITY)];

/// Verbs that remove what others use.
const fn removes(names: &'static str) -> Subcommand {
    ruled(names, REMOVING)
}

/// Verbs that change accounts and keys.
const fn identity(names: &'static str) -> Subcommand {
    ruled(names, SIGNING)
}

const fn area(names: &'static str, subcommands: &'static [Subcommand]) -> Subcommand {
    Subcommand { names, syntax: COMMON, subcommands, ..Subcommand::NEW }
}

/// Read-only verbs of every group.
const LOOKS: Subcommand =
    each("list ls view show status get diff checks watch verify search browse logs log trace lint");

/// Verbs of every group that create files here, or check out the work of others.
const FILLS: Subcommand = command(
    "checkout co download artifact",
    Syntax {
        flags: "-f|--force --detach --clobber --skip-existing -l|--list-artifacts --recurse-submodules",
        valued: "-D|--dir|--path -O|--output -p|--pattern -n|--name -A|--archive -b|--branch -a|--asset-name -j|--job -R|--repo",
        ..Syntax::EXACT
    },
    &[when(Lacks("--output"), Unpacks(At::Value("--dir"))), always(Writes(At::Value("--dir --output")))],
);

const CLONE: Subcommand = ruled("clone", &[always(By(cloned))]);

const CHANGES: Subcommand = changes(
    "create new merge accept close reopen comment note review approve revoke edit update ready lock unlock pin \
     unpin transfer develop upload rename archive unarchive fork run rerun retry trigger cancel enable disable \
     set import add copy link unlink field-create item-add item-create item-edit item-archive mark-template \
     update-branch rebase subscribe unsubscribe todo mirror publish revert for board",
);

const REMOVES_ALL: Subcommand = removes("delete rm remove delete-asset field-delete item-delete");

const ANY: &[Subcommand] = &[CHANGES, REMOVES_ALL, LOOKS, FILLS, CLONE];

const REPOSITORY: &[Subcommand] = &[
    CHANGES,
    REMOVES_ALL,
    LOOKS,
    changes("sync"),
    CLONE,
    ruled("set-default", &[always(Writes(At::Path(".git/config")))]),
    area("deploy-key", &[identity("add delete"), each("list")]),
    area("autolink", ANY),
];

const AUTH: &[Subcommand] = &[
    identity("login logout refresh setup-git switch configure-docker docker-helper"),
    ruled("token", &[always(SHOWS)]),
    command(
        "status",
        Syntax { flags: "-t|--show-token -a|--active", ..Syntax::EXACT },
        &[when(Has("--show-token"), SHOWS)],
    ),
];

const API: Subcommand = command(
    "api",
    Syntax {
        flags: "-i|--include --paginate --silent --slurp --verbose",
        valued: "-X|--method -f|--raw-field -F|--field --input -H|--header -q|--jq -t|--template --cache --hostname \
                 -p|--preview --form --output",
        ..Syntax::EXACT
    },
    &[always(ByOption(api)), always(Reads(At::Value("--input")))],
);

const SETTINGS: Subcommand = ruled(
    "config alias",
    &[when(First("set delete import clear-cache edit"), Hides("settings or an alias that later calls obey"))],
);

const EXTENSIONS: Subcommand = ruled(
    "extension|extensions|ext",
    &[
        when(First("install upgrade remove create"), FOR_USER),
        when(First("exec"), Hides("an extension that is not known")),
    ],
);

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["gh"],
        flags: "-h|--help --version",
        valued: "-R|--repo --hostname",
        subcommands: &[
            area("pr", ANY),
            area("issue", ANY),
            area("release", ANY),
            area("repo", REPOSITORY),
            area("gist", ANY),
            area("workflow", ANY),
            area("run", ANY),
            area("secret", ANY),
            area("variable", ANY),
            area("label", ANY),
            area("project", ANY),
            area("cache", ANY),
            area("ruleset", ANY),
            area("agent-task", ANY),
            area("ssh-key", &[identity("add delete"), each("list")]),
            area("gpg-key", &[identity("add delete"), each("list")]),
            area("auth", AUTH),
            area(
                "codespace|cs",
                &[
                    changes("create ssh cp stop rebuild edit ports code jupyter"),
                    removes("delete"),
                    each("list view logs"),
                ],
            ),
            API,
            SETTINGS,
            EXTENSIONS,
        ],
        plain: "attestation browse completion copilot help licenses org preview search status at version",
        otherwise: Otherwise::Opaque("an alias or an extension that is not known"),
        examples: &[
            ("gh release create v1 --notes --help", Expect::Asks("publishes")),
            ("gh pr merge 1 --squash --body --help", Expect::Asks("publishes")),
            ("gh pr create --fill", Expect::Asks("publishes")),
            ("gh pr -R o/r merge 1", Expect::Asks("publishes")),
            ("gh -R o/r pr merge 1", Expect::Is("gh pr merge 1")),
            ("gh issue close 1", Expect::Asks("publishes")),
            ("gh issue delete 1", Expect::Asks("others may use")),
            ("gh release create v1", Expect::Asks("publishes")),
            ("gh release delete v1", Expect::Asks("others may use")),
            ("gh repo delete me/x --yes", Expect::Asks("others may use")),
            ("gh repo set-default o/r", Expect::Writes(".git/config")),
            ("gh gist create x", Expect::Asks("publishes")),
            ("gh workflow run x", Expect::Asks("publishes")),
            ("gh secret set X", Expect::Asks("publishes")),
            ("gh ssh-key add x", Expect::Asks("accounts")),
            ("gh auth login", Expect::Asks("accounts")),
            ("gh auth token", Expect::Asks("shows credentials")),
            ("gh auth status -t", Expect::Asks("shows credentials")),
            ("gh api -X DELETE repos/o/r", Expect::Asks("others may use")),
            ("gh api repos/o/r/issues -f title=x", Expect::Asks("publishes")),
            ("gh api graphql -f query='mutation { x }'", Expect::Asks("publishes")),
            ("gh alias set x '!sudo'", Expect::Opaque("settings or an alias")),
            ("gh extension install o/x", Expect::Asks("outside of the workspace")),
            ("gh frob", Expect::Opaque("an alias or an extension")),
            ("gh pr $x 1", Expect::Opaque("known only when it runs")),
            ("gh --odd pr merge", Expect::Opaque("`--odd` of `gh`")),
        ],
        plain_lines: &[
            "gh pr create --fill --dry-run", "gh pr create --dry-run", "gh pr list --state open",
            "gh pr view 1 --json title", "gh pr checkout 1", "gh run watch", "gh api repos/o/r",
            "gh api graphql -f query='{ viewer { login } }'", "gh auth status",
        ],
        ..Program::EXACT
    },
    Program {
        family: &["glab", "tea", "hub"],
        flags: "-h|--help -v|--version --noop",
        valued: "-R|--repo --hostname -C",
        subcommands: &[
            area("mr pulls|pull|pr", ANY),
            area("issue|issues", ANY),
            area("incident", ANY),
            area("release|releases", ANY),
            area("repo|project|repos", REPOSITORY),
            area("ci|pipeline|pipe job", ANY),
            area("variable", ANY),
            area("label|labels", ANY),
            area("milestone|milestones", ANY),
            area("schedule", ANY),
            area("snippet", ANY),
            area("securefile", ANY),
            area("token", &[identity("create revoke rotate"), each("list")]),
            area("ssh-key gpg-key deploy-key", &[identity("add delete"), each("list get")]),
            area("auth logins|login logout", AUTH),
            API,
            SETTINGS,
            changes("create delete fork pull-request push sync gist merge comment comments"),
            each("check-update completion version help user whoami browse status show changelog"),
        ],
        examples: &[
            ("glab mr create --fill", Expect::Asks("publishes")),
            ("glab -R o/r mr merge 1", Expect::Asks("publishes")),
            ("glab release delete v1", Expect::Asks("others may use")),
            ("glab ci run", Expect::Asks("publishes")),
            ("hub pull-request", Expect::Asks("publishes")),
            ("tea pr create", Expect::Asks("publishes")),
            ("glab api -X POST x", Expect::Asks("publishes")),
            ("glab auth login", Expect::Asks("accounts")),
        ],
        plain_lines: &["glab mr list", "glab ci view"],
        ..Program::EXACT
    },
];

/// A request to a forge's API: all but reading requests change what others see.
fn api(parsed: &Parsed<'_>) -> Vec<Effect> {
    let method = parsed.values("--method").last().map(|value| value.text.to_uppercase());
    let has_fields = parsed.has("--field --raw-field --input --form");
    let is_query = parsed.operand(0).is_some_and(|path| path.text == "graphql")
        && !parsed.has("--input")
        && !parsed.values("--field --raw-field").any(|field| field.text.contains("mutation") || !field.is_exact);
    match method.as_deref() {
        Some("GET" | "HEAD") => Vec::new(),
        Some("DELETE") => vec![Effect::says(Consequence::DeletesForOthers, "deletes what others may use")],
        Some(_) => vec![Effect::is(Consequence::Publishes)],
        None if has_fields && !is_query => vec![Effect::is(Consequence::Publishes)],
        None => Vec::new(),
    }
}
