//! Files that programs outside any sandbox obey: their content runs, or controls what runs, when a
//! person next uses git, an editor, an agent, a build or a shell. Consists of a table of names, the
//! places named in a repository's configuration, and the targets of links with such names; used by
//! rules, sandbox and results alike.

mod agreed;
mod by;
mod configured;
mod find;
mod git_config;
mod links;
mod pattern;
mod plan;
mod small_file;
mod table;
mod words;

pub(crate) use agreed::AgreedCall;
pub use agreed::was_agreed_since;
pub use by::obeyed_by;
pub use configured::{ConfiguredFiles, is_repository};
pub use find::{FoundObeyed, find_obeyed, is_guarded, leads_to_guarded};
pub use plan::{is_plan, leads_to_own_repository, plan_runs_commands};
pub use table::{ObeyedClass, ObeyedFile};
