//! Files that `git` shows from its object store, by their names in the work tree: `REVISION:path`,
//! and paths after `--`.

use tools_core::Access;

use crate::reader::Value;
use crate::registry::prelude::*;

/// The files that the operands name. A path in a revision is relative to the top of the work tree,
/// which is assumed to be the folder that git runs in.
pub(super) fn named(parsed: &Parsed<'_>) -> Vec<Effect> {
    let behind = parsed.after_dashes().iter().filter(|path| !path.text.starts_with(':')).cloned();
    let in_revisions = parsed.operands().filter_map(in_revision);
    let paths = behind.chain(in_revisions);
    paths.map(|path| Effect::Path { path, access: Access::Read, is_tree: true }).collect()
}

/// The path in `REVISION:path`, `:path` and `:0:path`. `:/text` names a commit, and other signs
/// after the colon begin a pattern.
fn in_revision(operand: &Value) -> Option<Value> {
    let (revision, path) = operand.text.split_once(':')?;
    let path = match revision {
        "" => match path.split_once(':') {
            Some(("0" | "1" | "2" | "3", path)) => path,
            _ => path,
        },
        _ => path,
    };
    let is_other = path.is_empty() || revision.is_empty() && path.starts_with(['/', '(', '!', '^']);
    (!is_other).then(|| Value { text: path.to_owned(), ..operand.clone() })
}

pub(super) const CAT_FILE: Subcommand = ruled("cat-file", &[always(By(named))]);

pub(super) const BLAME: Subcommand = command(
    "blame annotate",
    Syntax {
        flags: "-b --root --show-stats --reverse --first-parent --progress --no-progress -p|--porcelain \
                --line-porcelain --incremental -c -t -l -s -e|--show-email -w -f|--show-name -n|--show-number --minimal \
                --score-debug --color-lines --color-by-age",
        valued: "-L --contents -S --date --since --ignore-rev --ignore-revs-file --encoding",
        optional: "-M -C --abbrev",
        ..Syntax::GNU
    },
    &[always(Reads(At::Last)), always(Reads(At::Value("--contents --ignore-revs-file -S")))],
);
