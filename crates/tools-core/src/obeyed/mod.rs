//! Files that programs outside any sandbox obey: their content runs, or controls what runs, when a
//! person next uses git, an editor, an agent, a build or a shell. Consists of a table of names, the
//! places named in a repository's configuration, and the targets of links with such names; used by
//! rules, sandbox and results alike.

mod configured;
mod consents;
mod find;
mod git_config;
mod links;
mod pattern;
mod plan;
mod programs;
mod small_file;
mod table;
mod words;

pub use configured::{ConfiguredFiles, is_repository};
pub(crate) use consents::AgreedCall;
pub use consents::was_agreed_since;
pub use find::{ObeyedMatch, find_obeyed, is_guarded, leads_to_guarded};
pub use plan::{is_plan, leads_to_own_repository, plan_runs_commands};
pub use programs::obeyed_by;
pub use table::{ObeyedClass, ObeyedFile};
