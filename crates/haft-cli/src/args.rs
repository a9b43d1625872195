//! The command line of `haft`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use haft::{audit::Head, catalog::Dialect, hosts::Host};

mod agent;
mod approvals;
mod hosts;
mod mcp;
mod servers;
mod single_verb;
mod stores;

pub(crate) use agent::{Acp, NonInteractive, Run, SessionsVerb};
pub(crate) use approvals::{ApprovalsVerb, TrustVerb};
pub(crate) use hosts::Setup;
#[cfg(feature = "http")]
pub(crate) use mcp::Http;
pub(crate) use mcp::{McpVerb, Offer};
pub(crate) use servers::{AddServer, LoginToServer};
pub(crate) use single_verb::{Exec, Filter, parse_single_verb};
pub(crate) use stores::{MemoryVerb, ScheduleVerb, SkillsVerb};

/// Run the tool calls of an LLM agent: check them, sandbox them, execute them and record them.
#[derive(Debug, Parser)]
#[command(name = "haft", version, propagate_version = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    /// Update the configuration to the current format, like `haft config migrate`. Takes no
    /// subcommand.
    #[arg(long)]
    pub(crate) migrate_config: bool,
    /// With `--migrate-config`: print the changes without making them.
    #[arg(long, requires = "migrate_config")]
    pub(crate) dry_run: bool,
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
}

/// Options of every subcommand.
#[derive(Debug, Clone, Args)]
pub(crate) struct CommonArgs {
    /// Configuration file [default: `haft/config.toml` in the user's configuration folder].
    #[arg(long, global = true, env = "HAFT_CONFIG", hide_env_values = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Workspace: relative paths start here, and tools are confined to it [default: the current
    /// directory].
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) workdir: Option<PathBuf>,
    /// Session to which calls belong [default: a new session].
    #[arg(long, global = true, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Print one JSON object instead of text.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print only the result.
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Run an agent on a task, or start an interactive session.
    Run(Run),
    /// Run as the agent of an editor that speaks the Agent Client Protocol, such as Zed.
    ///
    /// The protocol uses standard input and output. Each session works in the folder that the
    /// editor names. With `--workdir`, sessions must be inside that folder.
    Acp(Acp),
    /// Manage saved agent sessions.
    Sessions {
        #[command(subcommand)]
        verb: SessionsVerb,
    },
    /// Run one tool call.
    Call(Call),
    /// Run many tool calls.
    ///
    /// Reads JSON lines and prints one JSON line per call, in the same order.
    Batch {
        /// File with the calls [default: standard input, also `-`].
        file: Option<PathBuf>,
    },
    /// Show how a call would be decided, and by which rule, without running it.
    Explain(Explain),
    /// Check, test and manage permission rules and approvals.
    Policy {
        #[command(subcommand)]
        verb: PolicyVerb,
    },
    /// Answer questions of calls whose client cannot ask a person.
    Approvals {
        #[command(subcommand)]
        verb: ApprovalsVerb,
    },
    /// Suggest permission rules for the project in the working directory.
    Init {
        /// Type of project [default: detected from its files].
        #[arg(long = "kind", value_enum, value_name = "KIND")]
        kinds: Vec<Kind>,
        /// Write the rules to the user's configuration (or `--config`). Rules that are missing from
        /// an existing file are added after its own, and a backup is kept.
        #[arg(long)]
        write: bool,
    },
    /// Unblock tools that were blocked because they kept failing.
    Trust {
        #[command(subcommand)]
        verb: TrustVerb,
    },
    /// Run a command as a `bash` call and exit with its exit code.
    ///
    /// Standard input is empty. When standard output is not a terminal, output is passed through
    /// byte for byte unless `--filter` is given.
    Exec(Exec),
    /// Check a host's own tool calls: the hook that a host runs before and after each tool.
    ///
    /// Reads one event from standard input and answers in the host's format: allow, ask or deny.
    /// Asks when the event cannot be checked. Installed by `haft setup`.
    Hook {
        /// The host: `claude-code`, `codex`, `gemini` or `cursor`.
        host: Host,
        /// Rewrite shell commands to run through `haft exec`: sandboxed, filtered and undoable.
        /// Without it, allowed commands are left to the host's own rules.
        #[arg(long)]
        exec: bool,
    },
    /// Add Haft to an agent or editor.
    ///
    /// Writes the MCP server, and hooks where the host supports them, to its configuration and
    /// shows the diff. Without a host, lists the hosts that are installed and what would change.
    Setup(Setup),
    /// Show what this user's processes do, on a web page of this machine.
    ///
    /// The page shows calls and jobs that run, calls that have ended, questions with their answers,
    /// scheduled tasks, hosts and tokens saved. Prints an address with a random token and runs
    /// until interrupted.
    Top {
        /// Serve the page; the only view there is.
        #[arg(long, required = true)]
        web: bool,
        /// Port on 127.0.0.1 [default: any free one].
        #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
        port: u16,
    },
    /// Filter standard input as if a command had printed it.
    Filter(Filter),
    /// Find credentials in files.
    ///
    /// Prints a JSON line with location and kind for each, never the value. Exits with 2 if a file
    /// cannot be read, with 1 if `--check` is given and a credential was found, else with 0.
    Scan(Scan),
    /// List the tools as a model sees them.
    Tools(Tools),
    /// List the layers that wrap each call, outermost first.
    Layers,
    /// Serve the tools over MCP, and manage the MCP servers behind Haft.
    Mcp {
        #[command(subcommand)]
        verb: McpVerb,
    },
    /// Review changes to the pinned tool definitions of MCP servers.
    Pins {
        #[command(subcommand)]
        verb: PinsVerb,
    },
    /// Revert what calls changed in the workspace.
    ///
    /// Changes made by anyone else are kept.
    Undo {
        /// Numbers of the calls, as shown by `--list` [default: the last call, of `--session` if
        /// given].
        #[arg(value_name = "CALL", conflicts_with = "last")]
        calls: Vec<u64>,
        /// Revert the last N calls.
        #[arg(long, value_name = "N", default_value_t = 1)]
        last: usize,
        /// List the calls that can be reverted, newest first.
        #[arg(long, conflicts_with = "diff")]
        list: bool,
        /// Show the changes of the calls instead of reverting them.
        #[arg(long)]
        diff: bool,
        /// Revert in the directory that is here now, even if the calls changed another one at its
        /// path.
        #[arg(long)]
        here: bool,
    },
    /// Revert the last `haft undo`: restores what the call had changed.
    Redo {
        /// Redo in the directory that is here now, even if the undo changed another one at its
        /// path.
        #[arg(long)]
        here: bool,
    },
    /// View, verify and report on the audit log.
    Audit {
        #[command(subcommand)]
        verb: AuditVerb,
    },
    /// Show stored output that was too long for an answer.
    Overflow {
        #[command(subcommand)]
        verb: OverflowVerb,
    },
    /// Manage the memories that sessions saved.
    Memory {
        #[command(subcommand)]
        verb: MemoryVerb,
    },
    /// Manage and run the scheduled tasks of this directory.
    Schedule {
        #[command(subcommand)]
        verb: ScheduleVerb,
    },
    /// List, check and trust the skills of the user and of this project.
    Skills {
        #[command(subcommand)]
        verb: SkillsVerb,
    },
    /// Show, check and migrate the configuration.
    Config {
        #[command(subcommand)]
        verb: ConfigVerb,
    },
    /// Check this machine: what works, and what the sandbox does not stop.
    Doctor,
    /// Run a demo session of real calls on a repository.
    Demo {
        /// The repository.
        #[arg(default_value = ".")]
        dir: PathBuf,
    },
    /// Print a completion script for a shell.
    Completions {
        /// Shell to generate the script for.
        shell: Shell,
    },
    /// Write the manual pages to a directory.
    #[command(hide = true)]
    Man {
        /// Target directory.
        dir: PathBuf,
    },
    /// Print what the last word of a command line can become. For completion scripts.
    #[command(hide = true)]
    Complete {
        /// The words after `haft`, up to the one that is being typed.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
    /// Write the generated reference pages to a directory.
    #[command(hide = true)]
    Reference {
        /// Target directory.
        dir: PathBuf,
    },
}

/// How tools are listed.
#[derive(Debug, Args)]
pub(crate) struct Tools {
    /// Output format.
    #[arg(long, value_enum, default_value_t = ToolsFormat::Table)]
    pub(crate) format: ToolsFormat,
    /// Print the definitions for an API: `anthropic`, `gemini`, `mcp`, `ollama`, `openai-chat`,
    /// `openai-chat-strict`, `openai-responses` or `openai-responses-strict`. The output is
    /// identical on every run and machine.
    #[arg(long, value_name = "NAME", conflicts_with = "format")]
    pub(crate) dialect: Option<Dialect>,
    /// Report what the API cannot express instead.
    #[arg(long, requires = "dialect")]
    pub(crate) report: bool,
    /// Rank the tools by their estimated cost in tokens, with how often each was called according
    /// to the audit log.
    #[arg(long)]
    pub(crate) cost: bool,
    #[command(flatten)]
    pub(crate) offer: Offer,
}

/// One call.
#[derive(Debug, Args)]
pub(crate) struct Call {
    /// Name of the tool.
    pub(crate) tool: String,
    /// Parameters: one JSON object, `key=value` pairs, or `-` for JSON on standard input.
    #[arg(value_name = "JSON|KEY=VALUE|-")]
    pub(crate) params: Vec<String>,
    /// Approve this call in advance.
    #[arg(long)]
    pub(crate) yes: bool,
    /// How far the caller is trusted.
    #[arg(long, value_enum, default_value_t = Trust::Trusted)]
    pub(crate) trust: Trust,
    /// Identity of the caller.
    #[arg(long, value_name = "ID")]
    pub(crate) caller: Option<String>,
}

/// Where to look for credentials, and what to do with those that are found.
#[derive(Debug, Args)]
pub(crate) struct Scan {
    /// Files to scan [default: standard input, also `-`].
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print the text with placeholders in place of credentials instead.
    #[arg(long)]
    pub(crate) redact: bool,
    /// Exit with 1 if a credential was found.
    #[arg(long)]
    pub(crate) check: bool,
}

/// A question to the policy.
#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The tool.
    #[arg(required_unless_present = "stdin")]
    pub(crate) tool: Option<String>,
    /// Parameters: one JSON object, `key=value` pairs, or `-` for JSON on standard input.
    #[arg(value_name = "JSON|KEY=VALUE|-")]
    pub(crate) params: Vec<String>,
    /// Read JSON lines of `{"tool","params"}` from standard input and print JSON lines.
    #[arg(long, conflicts_with_all = ["tool", "params"])]
    pub(crate) stdin: bool,
    /// How far the caller is trusted.
    #[arg(long, value_enum, default_value_t = Trust::Trusted)]
    pub(crate) trust: Trust,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyVerb {
    /// Show how a call would be decided (same as `haft explain`).
    Check(Explain),
    /// Show how this configuration would have decided the recorded calls, without running them.
    Replay {
        /// Audit log to read [default: the configured one].
        audit: Option<PathBuf>,
        /// Print every call, not only those whose decision would change.
        #[arg(long)]
        all: bool,
    },
    /// Suggest the rules that would have avoided the most questions, with everything each would
    /// have allowed.
    Suggest {
        /// Audit log to read [default: the configured one].
        audit: Option<PathBuf>,
        /// Maximum number of rules.
        #[arg(long, default_value_t = 5, value_name = "N")]
        most: usize,
    },
    /// Test the examples in rules (`match`, `not_match`).
    Test,
    /// List the approvals that outlast a session.
    Approvals,
    /// Store an approval: calls that match the pattern are no longer asked about. Overrides no
    /// denial. Unlike an answer to a question, it is not tied to the content of the scripts that
    /// run.
    Allow {
        /// Name of the tool.
        tool: String,
        /// Pattern, as in a rule.
        pattern: String,
        /// Apply everywhere, not only in this working directory.
        #[arg(long)]
        everywhere: bool,
        /// Number of days it is valid; 0 for no limit [default: `tools.approvals.days`].
        #[arg(long, value_name = "N")]
        days: Option<u64>,
    },
    /// Revoke stored approvals.
    Revoke {
        /// Numbers printed by `haft policy approvals`.
        #[arg(required_unless_present = "all")]
        numbers: Vec<usize>,
        /// Revoke all of them.
        #[arg(long)]
        all: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum PinsVerb {
    /// Show how servers changed their tools, and accept the changes. Changed tools cannot be called
    /// until then. Asks when run in a terminal; exits with 3 if changes remain.
    Review {
        /// Name of the server [default: all].
        #[arg(value_name = "ID")]
        id: Option<String>,
        /// Accept the changes that were printed with this code.
        #[arg(long, value_name = "CODE")]
        accept: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditVerb {
    /// Print the latest calls and follow new ones.
    Tail {
        /// Number of calls to start with.
        #[arg(short = 'n', long, default_value_t = 10)]
        lines: usize,
        /// Exit after printing them.
        #[arg(long)]
        no_follow: bool,
        /// Audit log to read [default: the configured one].
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// Print the calls as a table.
    View {
        /// Audit log to read [default: the configured one].
        file: Option<PathBuf>,
    },
    /// Verify that no line was changed, removed or inserted, and that the end is not missing.
    Verify {
        /// Audit log to read [default: the configured one].
        file: Option<PathBuf>,
        /// Also verify that the log contains this line, noted elsewhere as `NUMBER:HASH`.
        #[arg(long, value_name = "NUMBER:HASH")]
        head: Vec<Head>,
    },
    /// Remove the chains of processes that ended long ago from the audit database, after all chains
    /// were verified. The audit log names what was removed.
    Prune {
        /// Remove chains to which nothing was added for this number of days.
        #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..))]
        days: u32,
        /// Only print what would be removed.
        #[arg(long)]
        dry_run: bool,
    },
    /// Show how this configuration would have decided the recorded calls (same as `haft policy
    /// replay`).
    Replay {
        /// Audit log to read [default: the configured one].
        file: Option<PathBuf>,
        /// Print every call, not only those whose decision would change.
        #[arg(long)]
        all: bool,
    },
    /// Write a self-contained HTML report.
    Report {
        /// Audit log to read [default: the configured one].
        file: Option<PathBuf>,
        /// Output file; `-` is standard output [default: `haft-report.html` in the state directory,
        /// or standard output when that is a file or a pipe].
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Include the calls of all directories, not only those of the working directory. Implied
        /// by FILE and `--session`.
        #[arg(long)]
        all: bool,
        /// Number of latest calls to list individually. Totals always count all calls.
        #[arg(long, value_name = "N", default_value_t = 2000)]
        calls: usize,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum OverflowVerb {
    /// Print a stored output of any session.
    Show {
        /// Reference: `overflow:` and a UUID, or the UUID alone.
        #[arg(value_name = "REF")]
        reference: String,
        /// Print only lines that match this regular expression, with line numbers.
        #[arg(long, value_name = "RE")]
        grep: Option<String>,
        /// Print only these lines, counted from 1: `A-B`, `A-`, `-B` or `A`.
        #[arg(long, value_name = "A-B", allow_hyphen_values = true)]
        lines: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigVerb {
    /// Print every effective value and its source.
    Show,
    /// Check the configuration for errors.
    Check,
    /// Print the JSON schema, for editors.
    Schema,
    /// Update the configuration to the current format. Old keys are replaced by new ones, comments
    /// and unknown keys are kept, and the old file is kept next to it (`config.toml.bak-1`). Prints
    /// the changes.
    Migrate {
        /// Print the changes without making them.
        #[arg(long)]
        dry_run: bool,
    },
}

/// A type of project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// Rust with Cargo.
    Rust,
    /// JavaScript with npm, pnpm or Yarn.
    Node,
    /// Python.
    Python,
    /// Go with modules.
    Go,
    /// Java with Gradle or Maven.
    Java,
    /// Ruby with Bundler.
    Ruby,
}

/// The format in which tools are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ToolsFormat {
    /// Table for people.
    Table,
    /// JSON with everything known about each tool.
    Json,
    /// Anthropic API.
    Anthropic,
    /// OpenAI API.
    Openai,
    /// MCP tool list.
    Mcp,
    /// Text for a system prompt.
    Prompt,
}

/// Network access of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Network {
    /// No network except a private loopback.
    Off,
    /// Through the gate: host rules decide each connection, or a question where no rule matches.
    Gate,
    /// Unrestricted.
    Open,
}

/// How far a caller is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Trust {
    /// Only reads inside the workspace, each after a question.
    Untrusted,
    /// Reads are allowed, everything else asks.
    Provisional,
    /// Only the rules decide.
    Trusted,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }
}
