//! The options of `git` itself, and the list of its subcommands.

use super::{examples, files, foreign, history, objects, remotes, settings};
use crate::registry::prelude::*;

pub(in crate::registry::programs) static ALL: &[Program] = &[Program {
    names: &["git"],
    general: "add blame commit diff log rev-parse show status",
    flags: "-v|--version -h|--help --html-path --man-path --info-path -p|--paginate -P|--no-pager --no-replace-objects \
                --no-lazy-fetch --no-optional-locks --no-advice --bare --literal-pathspecs --glob-pathspecs \
                --noglob-pathspecs --icase-pathspecs",
    valued: "-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source --shallow-file",
    optional: "--exec-path --list-cmds",
    style: Style::Leading,
    folder: "-C",
    rules: &[always(ByOption(settings::globals)), always(By(remotes::taken_over))],
    subcommands: SUBCOMMANDS,
    plain: PLAIN,
    prints: &[(
        "git",
        Prints::NamesWith("ls-files rev-parse describe --show-current --name-only merge-base ls-tree -l"),
    )],
    otherwise: Otherwise::Opaque("an alias or an extension that is not known"),
    edits: true,
    examples: examples::EXAMPLES,
    plain_lines: examples::PLAIN_LINES,
    ..Program::GNU
}];

/// Subcommands that are read-only, or whose changes can be undone.
const PLAIN: &str = "am bugreport check-attr check-ignore check-mailmap check-ref-format cherry \
                     citool column commit-graph commit-tree count-objects describe diagnose fmt-merge-msg \
                     for-each-ref fsck fsck-objects fsmonitor--daemon get-tar-commit-id gui hash-object help hook \
                     index-pack ls-files ls-tree mailinfo mailsplit merge-base merge-octopus merge-ours \
                     merge-recursive merge-resolve merge-subtree merge-tree mergetool mktag mktree multi-pack-index \
                     name-rev notes pack-objects pack-redundant pack-refs patch-id prune-packed quiltimport range-diff \
                     replace replay repack rerere rev-list rev-parse shortlog show-branch show-index show-ref \
                     sparse-checkout status stripspace symbolic-ref unpack-file unpack-objects update-index \
                     update-server-info var verify-commit verify-pack verify-tag version write-tree";

const SUBCOMMANDS: &[Subcommand] = &[
    files::ADD,
    files::APPLY,
    files::ARCHIVE,
    files::BUNDLE,
    files::CHECKOUT_INDEX,
    files::CLEAN,
    files::DIFF,
    files::DIFF_FILES,
    files::DIFF_INDEX,
    files::DIFF_TREE,
    files::FAST_EXPORT,
    files::FORMAT_PATCH,
    files::GREP,
    files::INTERPRET_TRAILERS,
    files::LOG,
    files::MERGE_FILE,
    files::MV,
    files::RM,
    objects::BLAME,
    objects::CAT_FILE,
    files::SHOW,
    files::SUBMODULE,
    files::WHATCHANGED,
    files::WORKTREE,
    foreign::DIFFTOOL,
    foreign::FILTERS,
    foreign::FLOW,
    foreign::FOR_EACH_REPO,
    foreign::LFS,
    foreign::MERGE_INDEX,
    foreign::P4,
    foreign::SUBTREE,
    foreign::SVN,
    foreign::SVN_LIKE,
    history::BISECT,
    history::BRANCH,
    history::CHECKOUT,
    history::COMMIT,
    history::FAST_IMPORT,
    history::FILTER_REPO,
    history::GC,
    history::MERGE,
    history::PICK,
    history::PRUNE,
    history::READ_TREE,
    history::REBASE,
    history::REFLOG,
    history::REFS,
    history::RESET,
    history::RESTORE,
    history::STASH,
    history::SWITCH,
    history::TAG,
    history::UPDATE_REF,
    remotes::CLONE,
    remotes::CONFIG,
    remotes::CREDENTIAL,
    remotes::CREDENTIAL_HELPERS,
    remotes::FETCH,
    remotes::HELPERS,
    remotes::INIT,
    remotes::LS_REMOTE,
    remotes::MAINTENANCE,
    remotes::PULL,
    remotes::PUSH,
    remotes::REMOTE,
    remotes::REQUEST_PULL,
    remotes::SEND_EMAIL,
    remotes::SEND_PACK,
    remotes::SERVERS,
];
