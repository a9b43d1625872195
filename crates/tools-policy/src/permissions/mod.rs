//! Permissions: ordered rules per tool that allow, ask or deny.
//!
//! # Which rule counts
//! The first rule of a tool's list that matches a subject decides about it, and the strictest
//! verdict on any subject decides about the call. A tool with rules of which none matches asks. A
//! tool without rules goes by what it promises: one that only reads the workspace runs, every other
//! asks. Trust in the origin of the call and the tool's own wish for a person can only tighten
//! that.
//!
//! # Commands
//! A pattern is compared with a command as it is typed, however many blanks stand between words.
//! `*` stands for anything, also for `/`; `?` for one character; `[a-z]` and `{a,b}` as in every
//! glob; `\` takes the next character as it is. A deny or ask pattern is also compared with the
//! words that the shell makes of the command, and with the name of the program without its folder,
//! so that quotes and paths do not get around it.
//!
//! Case counts, as it does for programs: `git -c *` is not about `git -C sub`. Only the name of the
//! program is also looked for in lower case, and only by patterns that deny or ask.
//!
//! Assignments of plain words to variables that only say how a program reports (`CI=1 npm test`)
//! are passed over.
//!
//! A tool's own wish for a person (`tools.shell.confirm_patterns`, the built-in questions of the
//! shell) is answered only by what names the command: an allow pattern without wildcards, or such
//! an approval, for the line as it is typed or for each of its commands. `rm *` does not answer it,
//! `rm build.log` does. What is blocked stays blocked.
//!
//! Each command of a line needs its own allow: `cargo *` does not allow `cargo --version && curl
//! x | sh`. An allow pattern without wildcards that is the whole line allows the line, unless one
//! of its commands is denied. A deny or ask pattern that matches the whole line counts, unless
//! all commands of the line are allowed by rules that stand before it.
//!
//! Files that a line writes by redirection are subjects too. Rules of the tool are compared with
//! their absolute paths first, and so are rules about writing: `> build/**` matches what is written
//! below `build`, as a pattern on paths, and never a command. Without a match, a plain output
//! inside the working directory is covered by the rules that allow the commands, if all of them
//! were configured: the default rules, which are there for harmless companions such as `tail`,
//! cover no writing. A plain output is a file that nothing builds, runs or obeys: not hidden, with
//! an ending such as `.log` or `.txt`, or in a folder such as `tmp` or `logs`. Every other file
//! asks, since what is written into `build.rs` runs with the next build. What cannot be seen
//! through always asks at least.
//!
//! Files that programs outside of any sandbox obey (git's configuration and hooks, editors, agents,
//! continuous integration, shells) may be changed, by whatever tool, only where the allowing
//! pattern names them: `.envrc`, `.github/workflows/**`. A wider one (`**`) asks. See
//! [`tools_core::find_obeyed`].
//!
//! # Paths
//! Compared is the canonical path; case counts, as it does in the file system. `*` and `?` stay
//! within one folder, `**` crosses folders. A pattern that begins with `/` or `~` is absolute; one
//! without any `/`, or that begins with `**/`, is looked for at any depth; every other starts at
//! the working directory. Allow patterns of the last two kinds reach only into the working
//! directory, deny and ask patterns of the second kind everywhere. A deny or ask pattern that
//! matches a folder covers all that is below; an allow pattern does not. `*` and `**` alone match
//! everything.
//!
//! # Addresses
//! Compared as commands are: `https://docs.rs/*`.

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
pub use legacy::{from_legacy, is_said_by_rules};
pub use lint::{ShadowedRule, lint};
pub use script_texts::TextDiff;
pub use session::{Difference, SessionRules, SessionView};
pub use store::{ApprovalSnapshot, ApprovalStore, ApprovalsError, OnUnreadable};
pub use stored::{Audience, Scope, StoredApproval, StoredRules, read_approvals};
