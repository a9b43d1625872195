//! Subcommands of `git` that reach other hosts, or decide which hosts are reached.

use super::history::MERGES;
use super::settings;
use crate::reader::Value;
use crate::registry::prelude::*;
use crate::registry::{Doubt, is_remote};

/// Effect of options that name the program on the other side.
pub(super) const OTHER_SIDE: Does = Hides("`git` with a program for the other side");

/// Options that `fetch` and `pull` share.
const FETCHES: &str = "-v|--verbose -q|--quiet --all --no-all -a|--append --atomic -f|--force -k|--keep --multiple \
                       -p|--prune -P|--prune-tags -n|--no-tags -t|--tags -u|--update-head-ok --progress --no-progress \
                       -4|--ipv4 -6|--ipv6 --dry-run --unshallow --update-shallow --no-recurse-submodules --auto-gc \
                       --no-auto-gc --auto-maintenance --no-auto-maintenance --write-fetch-head --no-write-fetch-head \
                       --set-upstream --show-forced-updates --no-show-forced-updates --porcelain --prefetch --refetch \
                       --stdin --no-prune";
const FETCHES_VALUED: &str = "--upload-pack|--exec -j|--jobs --depth --deepen --shallow-since --shallow-exclude --refmap \
                              -o|--server-option --negotiation-tip --filter --bundle-uri";

const REACHES: [Rule; 3] = [
    when(Has("--upload-pack --receive-pack --exec"), OTHER_SIDE),
    always(RunsLine(At::Value("--upload-pack --receive-pack --exec"))),
    always(By(connects)),
];

/// The address among the operands, which is the first one.
fn connects(parsed: &Parsed<'_>) -> Vec<Effect> {
    let first = parsed.operand(0).into_iter().chain(parsed.values("--repo"));
    first.filter(|address| is_remote(address)).cloned().map(Effect::Host).chain(names_helper(parsed)).collect()
}

/// Local branches and tags that a refspec overwrites, or deletes with `--prune`.
fn rewrites(parsed: &Parsed<'_>) -> Vec<Effect> {
    let is_forced = parsed.has("--force --prune");
    let is_meant = |spec: &str| is_forced || spec.starts_with('+');
    let loses = |spec: &str| {
        let target = spec.split_once(':').map_or("", |(_, target)| target);
        is_meant(spec) && !target.is_empty() && !target.trim_start_matches("refs/").starts_with("remotes/")
    };
    let specs = || parsed.operands().skip(1).chain(parsed.values("--refmap"));
    if specs().any(|spec| loses(&spec.text)) {
        return vec![Effect::says(Consequence::DiscardsWork, "may lose commits of a branch that is not merged")];
    }
    let open = specs().filter(|spec| spec.start().is_some_and(|start| start.is_empty() || is_meant(&start)));
    open.map(|spec| Effect::MayDecide(spec.clone(), Doubt::Operand)).collect()
}

/// The value of `--remote` if it is an address, not the name of a remote.
pub(super) fn remote(parsed: &Parsed<'_>) -> Vec<Effect> {
    parsed.values("--remote").filter(|address| is_remote(address)).cloned().map(Effect::Host).collect()
}

/// Addresses of the form `HELPER::…`, for which `git` starts a program of that name.
pub(super) fn names_helper(parsed: &Parsed<'_>) -> Vec<Effect> {
    let mut named = parsed.operands().chain(parsed.values("--remote --repo"));
    let is_helper =
        |value: &&Value| value.text.split_once("::").is_some_and(|(name, _)| !name.contains(['/', '=', ' ']));
    named.find(is_helper).map(|_| Effect::hidden("`git` with an address that names a program")).into_iter().collect()
}

/// The folder that a repository is cloned into; by default its own name.
pub(in crate::registry::programs) fn cloned(parsed: &Parsed<'_>) -> Vec<Effect> {
    let own = |address: &Value| {
        let text = address.text.trim_end_matches('/').trim_end_matches("/.git");
        let last = text.rsplit(['/', ':']).next().unwrap_or_default();
        Value { text: last.trim_end_matches(".git").to_owned(), ..address.clone() }
    };
    let folder = parsed.operand(1).cloned().or_else(|| parsed.operand(0).map(own));
    folder.map(Effect::Unpacks).into_iter().collect()
}

/// What was fetched from an address, or is by this command, put into the working tree. What a
/// remote that is known has counts as the workspace's own.
pub(super) fn taken_over(parsed: &Parsed<'_>) -> Vec<Effect> {
    let takes = match parsed.subcommand() {
        "pull" => parsed.operand(0).is_some_and(is_remote),
        "checkout" | "switch" | "merge" | "reset" | "rebase" | "cherry-pick" | "restore" | "add" => {
            parsed.operands().chain(parsed.values("--source")).any(|commit| commit.text == "FETCH_HEAD")
        }
        _ => false,
    };
    // A further working tree is in a folder of its own.
    let folder = parsed.operand(0).filter(|_| parsed.subcommand() == "add").cloned();
    takes.then(|| Effect::Unpacks(folder.unwrap_or_else(|| Value::exact(".")))).into_iter().collect()
}

pub(super) const CLONE: Subcommand = command(
    "clone",
    Syntax {
        flags: "-v|--verbose -q|--quiet --progress --no-progress --reject-shallow --no-reject-shallow -n|--no-checkout \
                --bare --mirror -l|--local --no-local --no-hardlinks -s|--shared --dissociate --single-branch \
                --no-single-branch --no-tags --tags --shallow-submodules --no-shallow-submodules -4|--ipv4 -6|--ipv6 \
                --remote-submodules --also-filter-submodules --sparse",
        valued: "-j|--jobs --template --reference --reference-if-able -o|--origin -b|--branch --revision -u|--upload-pack \
                 --depth --shallow-since --shallow-exclude --separate-git-dir --ref-format -c|--config --server-option \
                 --filter --bundle-uri",
        optional: "--recurse-submodules|--recursive",
        ..Syntax::GNU
    },
    &[
        REACHES[0],
        REACHES[1],
        REACHES[2],
        always(ByOption(settings::of_clone)),
        when(Has("--config --template"), Hides("`git clone` with settings or hooks of its own")),
        always(By(cloned)),
        always(Writes(At::Nth(1))),
        always(Writes(At::Value("--separate-git-dir"))),
    ],
);

pub(super) const FETCH: Subcommand = command(
    "fetch fetch-pack",
    Syntax {
        flags: FETCHES,
        valued: FETCHES_VALUED,
        optional: "--recurse-submodules --recurse-submodules-default --submodule-prefix",
        ..Syntax::GNU
    },
    &[
        REACHES[0],
        REACHES[1],
        REACHES[2],
        when(Lacks("--dry-run"), By(rewrites)),
        when_all(&[Has("--prune-tags"), Lacks("--dry-run")], Says(Consequence::DiscardsWork, "deletes tags")),
    ],
);

pub(super) const PULL: Subcommand = command(
    "pull",
    Syntax {
        flags: "--commit --no-commit -e|--edit --no-edit --ff --no-ff --ff-only --no-rebase --autostash --no-autostash \
                --signoff --no-signoff --stat --no-stat -n|--no-stat --squash --no-squash --verify --no-verify \
                --allow-unrelated-histories --verify-signatures --no-verify-signatures -v|--verbose -q|--quiet --all \
                -a|--append -f|--force -k|--keep -p|--prune -t|--tags --no-tags --progress --dry-run --unshallow \
                --update-shallow -4|--ipv4 -6|--ipv6 --set-upstream --no-recurse-submodules",
        valued: "--upload-pack -s|--strategy -X|--strategy-option -j|--jobs --depth --deepen --shallow-since \
                 --shallow-exclude --refmap -o|--server-option --negotiation-tip --filter --cleanup",
        optional: "-r|--rebase -S|--gpg-sign --log --recurse-submodules",
        ..Syntax::GNU
    },
    &[REACHES[0], REACHES[1], REACHES[2], MERGES, when(Lacks("--dry-run"), By(rewrites))],
);

pub(super) const LS_REMOTE: Subcommand = command(
    "ls-remote",
    Syntax {
        flags: "-q|--quiet -h|--heads|-b|--branches -t|--tags --refs --get-url --exit-code --symref",
        valued: "--upload-pack|--exec --sort -o|--server-option",
        ..Syntax::GNU
    },
    &REACHES,
);

const OVERWRITES: Does = Says(Consequence::DeletesForOthers, "overwrites or deletes what others may have");

pub(super) const PUSH: Subcommand = command(
    "push",
    Syntax {
        flags: "-v|--verbose -q|--quiet --all|--branches --mirror -d|--delete --tags -n|--dry-run --porcelain -f|--force \
                --force-if-includes --no-force-if-includes --thin --no-thin -u|--set-upstream --progress --no-progress \
                --prune --verify --no-verify --follow-tags --no-follow-tags --atomic --no-atomic -4|--ipv4 -6|--ipv6 \
                --no-signed",
        valued: "--repo --recurse-submodules --receive-pack|--exec -o|--push-option",
        optional: "--force-with-lease --signed",
        ..Syntax::GNU
    },
    &[
        REACHES[0],
        REACHES[1],
        REACHES[2],
        when_all(&[Has("--delete --mirror --prune --force --force-with-lease"), Lacks("--dry-run")], OVERWRITES),
        when_all(&[OperandStarts("+ :"), Lacks("--dry-run")], OVERWRITES),
        when(Lacks("--dry-run"), PUBLISHES),
    ],
);

pub(super) const SEND_PACK: Subcommand = command(
    "send-pack http-push imap-send",
    Syntax {
        flags: "--all --dry-run --force --verbose -v --thin --atomic --mirror --stateless-rpc --stdin -q -d -D",
        valued: "--receive-pack|--exec --remote --push-option",
        optional: "--signed",
        ..Syntax::GNU
    },
    &[
        REACHES[0],
        REACHES[1],
        REACHES[2],
        when_all(&[Has("--force --mirror -d -D"), Lacks("--dry-run")], OVERWRITES),
        when(Lacks("--dry-run"), PUBLISHES),
    ],
);

pub(super) const SEND_EMAIL: Subcommand = Subcommand {
    names: "send-email",
    syntax: Syntax {
        flags: "--dry-run --quiet --annotate --compose --no-validate --validate --force --no-chain-reply-to --thread",
        valued: "--from --to --cc --bcc --subject --in-reply-to --sendmail-cmd --smtp-server --smtp-server-port --smtp-user \
                 --smtp-pass --to-cmd --cc-cmd --header-cmd --identity --confirm --suppress-cc --smtp-encryption \
                 --envelope-sender --transfer-encoding",
        ..Syntax::GNU
    },
    rules: &[
        when(Lacks("--dry-run"), PUBLISHES),
        when(
            Has("--sendmail-cmd --to-cmd --cc-cmd --header-cmd"),
            Hides("`git send-email` with programs of its own choice"),
        ),
        always(RunsLine(At::Value("--sendmail-cmd --to-cmd --cc-cmd --header-cmd"))),
        // A path is a program here.
        always(RunsWords(At::Value("--smtp-server"))),
    ],
    ..Subcommand::NEW
};

pub(super) const REQUEST_PULL: Subcommand =
    ruled("request-pull", &[always(Connects(At::Remotes)), always(By(names_helper))]);

pub(super) const REMOTE: Subcommand = Subcommand {
    names: "remote",
    syntax: Syntax { flags: "-v|--verbose", ..Syntax::GNU },
    subcommands: &[
        command(
            "add",
            Syntax { flags: "-f|--fetch --tags --no-tags", valued: "-t -m", optional: "--mirror", ..Syntax::GNU },
            CONFIGURES,
        ),
        command("set-url", Syntax { flags: "--push --add --delete", ..Syntax::GNU }, CONFIGURES),
        configures("rename"),
        configures("remove|rm"),
        configures("set-branches"),
        each("set-head get-url show prune update"),
    ],
    ..Subcommand::NEW
};

/// Effects of changing where remotes point.
const CONFIGURES: &[Rule] =
    &[always(Writes(At::Path(".git/config"))), always(Connects(At::Remotes)), always(By(names_helper))];

const fn configures(names: &'static str) -> Subcommand {
    ruled(names, CONFIGURES)
}

pub(super) const CONFIG: Subcommand = Subcommand {
    names: "config",
    syntax: Syntax {
        flags: "--global --system --local --worktree --get --get-all --get-regexp --get-urlmatch -l|--list --add \
                --replace-all --unset --unset-all --rename-section --remove-section -e|--edit --get-color \
                --get-colorbool -z|--null --name-only --show-origin --show-scope --includes --no-includes --bool --int \
                --bool-or-int --bool-or-str --path --expiry-date --fixed-value --no-type --all --append --regexp \
                --show-names --no-show-names",
        valued: "-f|--file --blob --type --default --comment --value --url",
        ..Syntax::GNU
    },
    rules: &[always(ByOption(settings::configures))],
    subcommands: &[each("list get set unset rename-section remove-section edit")],
    ..Subcommand::NEW
};

pub(super) const INIT: Subcommand = command(
    "init|init-db",
    Syntax {
        flags: "-q|--quiet --bare",
        valued: "--template --separate-git-dir --object-format --ref-format -b|--initial-branch",
        optional: "--shared",
        ..Syntax::GNU
    },
    &[
        when(Has("--template"), Hides("`git init` with hooks of its own")),
        always(Writes(At::Value("--separate-git-dir"))),
    ],
);

pub(super) const CREDENTIAL: Subcommand = group(
    "credential",
    &[
        ruled("fill", &[always(Is(Consequence::ShowsCredentials))]),
        ruled("approve reject", &[always(Is(Consequence::ChangesIdentity))]),
    ],
);

pub(super) const CREDENTIAL_HELPERS: Subcommand = ruled(
    "credential-store credential-cache credential-cache--daemon credential-osxkeychain credential-manager \
            credential-libsecret",
    &[always(Is(Consequence::ShowsCredentials))],
);

pub(super) const MAINTENANCE: Subcommand = group(
    "maintenance",
    &[
        ruled(
            "start register stop unregister",
            &[always(Says(Consequence::ChangesSystem, "changes what runs in the background"))],
        ),
        each("run"),
    ],
);

pub(super) const SERVERS: Subcommand = command(
    "daemon instaweb http-backend cvsserver shell upload-pack receive-pack upload-archive",
    Syntax { valued: "-d|--httpd -p|--port -b|--browser", flags: "-l|--local", ..Syntax::GNU },
    &[
        always(Says(Consequence::Publishes, "serves the repository to others")),
        when(Has("--httpd --browser"), Hides("`git instaweb` with programs of its own choice")),
        always(RunsLine(At::Value("--httpd --browser"))),
    ],
);

pub(super) const HELPERS: Subcommand = ruled(
    "remote-ext remote-fd remote-ftp remote-ftps remote-http remote-https web--browse http-fetch \
            difftool--helper submodule--helper",
    &[always(Hides("a part of `git` that starts programs"))],
);
