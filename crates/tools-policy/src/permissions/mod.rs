//! Permissions: ordered rules per tool that allow, ask or deny.
//!
//! # Which rule counts
//! The first rule of a tool's list that matches a subject decides about it, and the strictest
//! verdict on any subject decides about the call. A tool with rules of which none matches asks. A
//! tool without rules is judged by its traits: one that only reads the workspace runs, every other
//! asks. Trust in the origin of the call and the tool's own wish for a person can only make the
//! verdict stricter.
//!
//! # Commands
//! A pattern is compared with a command as it is typed, with any number of blanks between words.
//! `*` matches anything, also `/`; `?` one character; `[a-z]` and `{a,b}` as in every glob; `\`
//! escapes the next character. A deny or ask pattern is also compared with the words that the shell
//! makes of the command, and with the name of the program without its folder, so that quotes and
//! paths do not evade it.
//!
//! Case matters, as it does for programs: `git -c *` does not match `git -C sub`. Only the name of
//! the program is also compared in lower case, and only with deny and ask patterns.
//!
//! Leading assignments of plain words to variables that affect only how a program reports (`CI=1
//! npm test`) are ignored.
//!
//! A tool's own wish for a person (`tools.shell.confirm_patterns`, the built-in questions of the
//! shell) is answered only by a pattern that names the command: an allow pattern without wildcards,
//! or such an approval, for the line as it is typed or for each of its commands. `rm *` does not
//! answer it, `rm build.log` does. Blocked commands stay blocked.
//!
//! Each command of a line needs its own allow: `cargo *` does not allow `cargo --version && curl x
//! | sh`. An allow pattern without wildcards that equals the whole line allows the line, unless one
//! of its commands is denied. A deny or ask pattern that matches the whole line applies, unless
//! earlier rules allow all commands of the line.
//!
//! Files that a line writes by redirection are subjects too. Rules of the tool are compared with
//! their absolute paths first, and so are rules about writing: `> build/**` matches files written
//! below `build`, as a pattern on paths, and never a command. Without a match, a plain output
//! inside the working directory is covered by the rules that allow the commands, if all of them
//! were configured: the default rules, which exist for harmless companions such as `tail`, cover no
//! writing. A plain output is a file that nothing builds, runs or obeys: not hidden, with an
//! extension such as `.log` or `.txt`, or in a folder such as `tmp` or `logs`. Every other file
//! asks, since content written into `build.rs` runs with the next build. A subject that cannot be
//! analysed always asks at least.
//!
//! Files that programs outside of any sandbox obey (git's configuration and hooks, editors, agents,
//! continuous integration, shells) may be changed, by any tool, only if the allow pattern names
//! them: `.envrc`, `.github/workflows/**`. A wider one (`**`) asks. See
//! [`tools_core::find_obeyed`].
//!
//! # Paths
//! The canonical path is compared; case matters, as it does in the file system. `*` and `?` stay
//! within one folder, `**` crosses folders. A pattern that begins with `/` or `~` is absolute; one
//! without any `/`, or that begins with `**/`, matches at any depth; every other starts at the
//! working directory. Allow patterns of the last two kinds match only inside the working directory,
//! deny and ask patterns of the second kind everywhere. A deny or ask pattern that matches a folder
//! covers everything below it; an allow pattern does not. `*` and `**` alone match everything.
//!
//! # Addresses
//! Compared like commands: `https://docs.rs/*`.

mod compiled;
mod config;
mod defaults;
mod examples;
mod legacy;
mod lint;
mod list;
mod obeyed;
mod outputs;

mod approvals_config;
mod file_approvals;
mod script_texts;

mod compiled_rule;
mod decide;
mod scripts;
mod session;
mod store;
mod stored;
mod suggest;

mod gate;

pub use approvals_config::{ApprovalsConfig, OnApprovalsAway};
pub use compiled::Permissions;
pub use config::{NETWORK, PermissionsConfig, RuleConfig};
pub use decide::{Question, decide};
pub use examples::{RuleExample, TestedExample};
pub use file_approvals::FileApprovals;
pub use gate::PermissionGate;
pub use legacy::{from_legacy, is_covered_by_rules};
pub use lint::{ShadowedRule, lint};
pub use script_texts::TextDiff;
pub use session::{Difference, SessionRules, SessionView};
pub use store::{ApprovalSnapshot, ApprovalStore, ApprovalsError, OnUnreadable};
pub use stored::{Audience, Scope, StoredApproval, StoredRules, read_approvals};
