//! What can be typed after `haft`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use haft::{audit::Head, catalog::Dialect, hosts::Host};

mod agent;
mod servers;
mod stores;

pub(crate) use agent::{NonInteractive, Run, SessionsVerb};
pub(crate) use servers::AddServer;
pub(crate) use stores::{MemoryVerb, ScheduleVerb, SkillsVerb};

/// Tool calls of an LLM agent: judged, confined, executed, recorded.
#[derive(Debug, Parser)]
#[command(name = "haft", version, propagate_version = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: Common,
    /// Bring the configuration to today's form, the same as `haft config migrate`; stands without a verb.
    #[arg(long)]
    pub(crate) migrate_config: bool,
    /// With `--migrate-config`: print what would change, and change nothing.
    #[arg(long, requires = "migrate_config")]
    pub(crate) dry_run: bool,
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
}

/// Options that every verb understands.
#[derive(Debug, Clone, Args)]
pub(crate) struct Common {
    /// Configuration file [default: `haft/config.toml` in the user's configuration folder].
    #[arg(long, global = true, env = "HAFT_CONFIG", hide_env_values = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Folder that relative paths start from, and that tools are kept in [default: the current one].
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) workdir: Option<PathBuf>,
    /// Session that calls belong to [default: a new one].
    #[arg(long, global = true, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Print one JSON object instead of text.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print nothing but the result.
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Let an agent do a task, or hold a session with it.
    Run(Run),
    /// The kept sessions of agents.
    Sessions {
        #[command(subcommand)]
        verb: SessionsVerb,
    },
    /// Make one call through all layers.
    Call(Call),
    /// Make many calls: JSON lines in, JSON lines out, in the same order.
    Batch {
        /// The calls; standard input when missing or `-`.
        file: Option<PathBuf>,
    },
    /// Say what would be decided about a call, and by which rule; runs nothing.
    Explain(Explain),
    /// Ask the policy without running anything.
    Policy {
        #[command(subcommand)]
        verb: PolicyVerb,
    },
    /// Propose rules for the project in the working directory.
    Init {
        /// The sort of project [default: what its files say].
        #[arg(long = "kind", value_enum, value_name = "KIND")]
        kinds: Vec<Kind>,
        /// Write them to the user's configuration (or `--config`). To one that is there, those that it lacks are added,
        /// behind its own; a copy of it is kept.
        #[arg(long)]
        write: bool,
    },
    /// Let tools back that are blocked because they kept failing.
    Trust {
        #[command(subcommand)]
        verb: TrustVerb,
    },
    /// Run a command as a `bash` call and keep its exit code: a prefix for any command. Its standard input is empty. Where
    /// standard output is no terminal, every byte passes unchanged unless `--filter` is given.
    Exec {
        /// Shorten what a rule knows and replace credentials by placeholders, also where standard output is no terminal.
        #[arg(long)]
        filter: bool,
        /// Seconds until the command is ended [default: 3600].
        #[arg(long, value_name = "SECONDS")]
        timeout: Option<u64>,
        /// The network of the command, whatever the configuration says.
        #[arg(long, value_name = "MODE")]
        network: Option<Network>,
        /// Agree to this command in advance.
        #[arg(long)]
        yes: bool,
        /// The folder that the command may write, where the configuration names none and the command starts below it
        /// [default: the working directory].
        #[arg(long, value_name = "DIR")]
        within: Option<PathBuf>,
        /// The command and its arguments.
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "CMD")]
        command: Vec<String>,
    },
    /// What a host runs before and after its own tools: reads one event from standard input and answers in the host's
    /// format. What the rules refuse is refused, what needs a person is asked, and what cannot be judged is asked, too.
    /// `haft setup` writes it into the host's configuration.
    Hook {
        /// The host: `claude-code`, `codex`, `gemini` or `cursor`.
        host: Host,
        /// Let commands run through `haft exec`: confined, filtered and with a way back. Without it, commands that the rules
        /// allow are left to the host's own rules.
        #[arg(long)]
        exec: bool,
    },
    /// Plug the tools into an agent or editor: writes the MCP server and, where it has hooks, those into its files, and shows
    /// the difference. Without a host: lists those that are found, and what would be done.
    Setup(Setup),
    /// Filter standard input as the output of a command.
    Filter(Filter),
    /// Find credentials in files: a JSON line with place and kind for each, never the value. Exits with 2 when a file
    /// cannot be read, with 1 when `--check` is given and something was found, else with 0.
    Scan {
        /// The files; standard input when there is none, or for `-`.
        #[arg(value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Print the text with placeholders in the place of credentials instead.
        #[arg(long)]
        redact: bool,
        /// Exit with 1 when there is a credential.
        #[arg(long)]
        check: bool,
    },
    /// List the tools as a model would get them.
    Tools(Tools),
    /// List the layers around a call, outermost first.
    Layers,
    /// Serve the tools to an MCP client, and look after the MCP servers behind it.
    Mcp {
        #[command(subcommand)]
        verb: McpVerb,
    },
    /// Look at the pinned definitions of MCP servers' tools.
    Pins {
        #[command(subcommand)]
        verb: PinsVerb,
    },
    /// Take back what calls changed in the workspace; what somebody else changed, since or meanwhile, stays.
    Undo {
        /// The numbers of the calls, as `--list` shows them. Default: the last call (of the session given by `--session`).
        #[arg(value_name = "CALL", conflicts_with = "last")]
        calls: Vec<u64>,
        /// The last N calls instead of certain ones.
        #[arg(long, value_name = "N", default_value_t = 1)]
        last: usize,
        /// List the calls that can be taken back instead, the last one first.
        #[arg(long, conflicts_with = "diff")]
        list: bool,
        /// Show what they changed instead.
        #[arg(long)]
        diff: bool,
    },
    /// Take the last `haft undo` back: what its call had changed is again as the call left it.
    Redo,
    /// Look at the record of calls.
    Audit {
        #[command(subcommand)]
        verb: AuditVerb,
    },
    /// Look at long output that was stored.
    Overflow {
        #[command(subcommand)]
        verb: OverflowVerb,
    },
    /// Look at what sessions saved to be known later, and remove it.
    Memory {
        #[command(subcommand)]
        verb: MemoryVerb,
    },
    /// Look at the tasks of this folder that run at later times, and run them.
    Schedule {
        #[command(subcommand)]
        verb: ScheduleVerb,
    },
    /// Look at the skills of the user and of this project.
    Skills {
        #[command(subcommand)]
        verb: SkillsVerb,
    },
    /// Look at the configuration.
    Config {
        #[command(subcommand)]
        verb: ConfigVerb,
    },
    /// Say what works on this machine, and what is not stopped.
    Doctor,
    /// Play a session of real calls on a repository and show what happened.
    Demo {
        /// The repository.
        #[arg(default_value = ".")]
        dir: PathBuf,
    },
    /// Print a completion script for a shell.
    Completions {
        /// For which shell.
        shell: Shell,
    },
    /// Write the generated reference pages into a folder.
    #[command(hide = true)]
    Reference {
        /// The folder.
        dir: PathBuf,
    },
}

/// In which shape the tools are listed, and what is said of them.
#[derive(Debug, Args)]
pub(crate) struct Tools {
    /// In which shape.
    #[arg(long, value_enum, default_value_t = ToolsFormat::Table)]
    pub(crate) format: ToolsFormat,
    /// As this interface takes them: `anthropic`, `gemini`, `mcp`, `ollama`, `openai-chat`, `openai-chat-strict`,
    /// `openai-responses` or `openai-responses-strict`. The text is the same on every run and every machine.
    #[arg(long, value_name = "NAME", conflicts_with = "format")]
    pub(crate) dialect: Option<Dialect>,
    /// Say instead what the interface cannot express of them.
    #[arg(long, requires = "dialect")]
    pub(crate) report: bool,
    /// Rank the tools by what each costs of the model's context, in tokens (estimated), and say how often each was called
    /// according to the record.
    #[arg(long)]
    pub(crate) cost: bool,
    #[command(flatten)]
    pub(crate) offer: Offer,
}

/// Which host is set up, and how.
#[derive(Debug, Default, Args)]
pub(crate) struct Setup {
    /// The host: `claude-code`, `codex`, `gemini`, `cursor`, `zed`, `vscode`, `opencode` or `goose`.
    pub(crate) host: Option<Host>,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Take it back. A file that nobody else wrote meanwhile becomes what it was to the byte.
    #[arg(long, requires = "host")]
    pub(crate) undo: bool,
    /// The profile of tools that the server offers [default: `core`].
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Write the server only, no hooks.
    #[arg(long)]
    pub(crate) no_hooks: bool,
    /// Leave commands that the rules allow to the host, instead of running them through `haft exec`.
    #[arg(long)]
    pub(crate) no_exec: bool,
}

/// Which tools are offered.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Offer {
    /// The tools of this profile: `core`, `coding`, `full`, `gateway` or one of `[tools.profiles]` [default: `mcp.profile`].
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Only tools that change nothing, whatever they are called with; there are no others then.
    #[arg(long)]
    pub(crate) read_only: bool,
}

/// One call.
#[derive(Debug, Args)]
pub(crate) struct Call {
    /// The tool.
    pub(crate) tool: String,
    /// Its parameters: one JSON object, `key=value` pairs, or `-` for JSON on standard input.
    #[arg(value_name = "JSON|KEY=VALUE|-")]
    pub(crate) params: Vec<String>,
    /// Agree to this call in advance.
    #[arg(long)]
    pub(crate) yes: bool,
    /// How far the origin of the call is trusted.
    #[arg(long, value_enum, default_value_t = Trust::Trusted)]
    pub(crate) trust: Trust,
    /// The principal behind the call.
    #[arg(long, value_name = "ID")]
    pub(crate) caller: Option<String>,
}

/// What to filter, and as what.
#[derive(Debug, Args)]
pub(crate) struct Filter {
    /// The command line that printed it.
    #[arg(long, value_name = "CMD", allow_hyphen_values = true)]
    pub(crate) command: String,
    /// The exit code it ended with.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) exit_code: Option<i32>,
    /// Say on standard error which rule it was and how much it took away.
    #[arg(long)]
    pub(crate) stats: bool,
    /// Show all lines: `-` before those that were dropped, `+` before those that were written in their place.
    #[arg(long)]
    pub(crate) diff: bool,
}

/// A question to the policy.
#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The tool.
    #[arg(required_unless_present = "stdin")]
    pub(crate) tool: Option<String>,
    /// Its parameters: one JSON object, `key=value` pairs, or `-` for JSON on standard input.
    #[arg(value_name = "JSON|KEY=VALUE|-")]
    pub(crate) params: Vec<String>,
    /// Read JSON lines of `{"tool","params"}` and answer with JSON lines.
    #[arg(long, conflicts_with_all = ["tool", "params"])]
    pub(crate) stdin: bool,
    /// How far the origin of the call is trusted.
    #[arg(long, value_enum, default_value_t = Trust::Trusted)]
    pub(crate) trust: Trust,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyVerb {
    /// Say what would be decided about a call (the same as `haft explain`).
    Check(Explain),
    /// Say what this configuration would have decided about the calls on record. Runs nothing.
    Replay {
        /// Another record than the configured one.
        audit: Option<PathBuf>,
        /// Print every call, not only those that would be decided otherwise.
        #[arg(long)]
        all: bool,
    },
    /// Name the few rules that would have spared most questions, with everything each would have let through.
    Suggest {
        /// Another record than the configured one.
        audit: Option<PathBuf>,
        /// The most rules to name.
        #[arg(long, default_value_t = 5, value_name = "N")]
        most: usize,
    },
    /// Check the examples that rules carry (`match`, `not_match`).
    Test,
    /// List what people allowed for longer than a session.
    Approvals,
    /// Allow what a pattern matches for longer than a session: it answers questions and lifts no denial. Unlike what people
    /// answer to a question it counts whatever the scripts hold that are run.
    Allow {
        /// The tool.
        tool: String,
        /// The pattern, as in a rule.
        pattern: String,
        /// Everywhere, not only in this working directory.
        #[arg(long)]
        everywhere: bool,
        /// For how many days; 0 for ever [default: `tools.approvals.days`].
        #[arg(long, value_name = "N")]
        days: Option<u64>,
    },
    /// Take approvals back.
    Revoke {
        /// Which, by the numbers that `haft policy approvals` prints.
        #[arg(required_unless_present = "all")]
        numbers: Vec<usize>,
        /// All of them.
        #[arg(long)]
        all: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum TrustVerb {
    /// Let a tool back, in every process of this user that blocks it.
    Reset {
        /// The tool.
        tool: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum McpVerb {
    /// Serve over standard input and output.
    Serve {
        /// Over standard input and output (the default).
        #[arg(long)]
        stdio: bool,
        #[command(flatten)]
        offer: Offer,
    },
    /// Add a server whose tools are offered among Haft's own.
    Add(AddServer),
    /// List the servers of the configuration, and how many tools of each are offered.
    List,
    /// Start servers and say what they list and what of it is held.
    Test {
        /// Only this server.
        #[arg(value_name = "ID")]
        id: Option<String>,
    },
    /// Remove a server from the configuration, and forget what was accepted of it.
    Remove {
        /// The key of the server.
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Take servers over from the configurations of other hosts: Claude Desktop, Claude Code, Codex, Cursor, Gemini CLI, VS
    /// Code, opencode, Zed.
    Import {
        /// The files [default: those of the hosts that are installed].
        #[arg(value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Say what would be added, and change nothing.
        #[arg(long)]
        dry_run: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum PinsVerb {
    /// Show what MCP servers changed about their tools, and accept it: calls of what changed are held until then. At a
    /// terminal it asks; exits with 3 when something is left.
    Review {
        /// Only this server.
        #[arg(value_name = "ID")]
        id: Option<String>,
        /// Accept the changes that were shown with this code.
        #[arg(long, value_name = "CODE")]
        accept: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditVerb {
    /// Print the last calls and follow new ones.
    Tail {
        /// How many to begin with.
        #[arg(short = 'n', long, default_value_t = 10)]
        lines: usize,
        /// End after those.
        #[arg(long)]
        no_follow: bool,
        /// Another file than the configured one.
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// Print the calls as a table.
    View {
        /// Another file than the configured one.
        file: Option<PathBuf>,
    },
    /// Check that no line was changed, removed or put in, and that the end is not missing.
    Verify {
        /// Another file than the configured one.
        file: Option<PathBuf>,
        /// Also check that the record holds this line: `NUMBER:HASH`, as noted elsewhere.
        #[arg(long, value_name = "NUMBER:HASH")]
        head: Vec<Head>,
    },
    /// Say what this configuration would have decided about the calls on record (the same as `haft policy replay`).
    Replay {
        /// Another file than the configured one.
        file: Option<PathBuf>,
        /// Print every call, not only those that would be decided otherwise.
        #[arg(long)]
        all: bool,
    },
    /// Write one HTML page that shows what happened: it needs nothing else and loads nothing.
    Report {
        /// Another file than the configured one.
        file: Option<PathBuf>,
        /// Where to write it; `-` is standard output [default: `haft-report.html`, or standard output when that is a
        /// file or a pipe].
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// How many calls to show one by one: the last ones. Figures always count all.
        #[arg(long, value_name = "N", default_value_t = 2000)]
        calls: usize,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum OverflowVerb {
    /// Print a stored output, of whichever session.
    Show {
        /// The reference: `overflow:` and a UUID, or the UUID alone.
        #[arg(value_name = "REF")]
        reference: String,
        /// Only lines that this regular expression matches, each with its number.
        #[arg(long, value_name = "RE")]
        grep: Option<String>,
        /// Only these lines, from 1: `A-B`, `A-`, `-B` or `A`.
        #[arg(long, value_name = "A-B", allow_hyphen_values = true)]
        lines: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigVerb {
    /// Print every effective value and where it was set.
    Show,
    /// Say what is wrong with the configuration.
    Check,
    /// Print the JSON schema for editors.
    Schema,
    /// Bring the configuration to today's form: old keys are said in new ones, comments and unknown keys stay, and the
    /// text as it was is kept beside it (`config.toml.bak-1`). Prints what changed.
    Migrate {
        /// Print what would change, and change nothing.
        #[arg(long)]
        dry_run: bool,
    },
}

/// A sort of project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// Built with cargo.
    Rust,
    /// Built with npm or one of its kin.
    Node,
    /// Python.
    Python,
    /// Go modules.
    Go,
    /// Built with Gradle or Maven.
    Java,
    /// Ruby with Bundler.
    Ruby,
}

/// In which shape tools are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ToolsFormat {
    /// For people.
    Table,
    /// Everything known of each tool.
    Json,
    /// As the Anthropic API takes them.
    Anthropic,
    /// As the OpenAI API takes them.
    Openai,
    /// As an MCP server lists them.
    Mcp,
    /// As text for a system prompt.
    Prompt,
}

/// A network of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Network {
    /// None but its own.
    Off,
    /// Through the gate: every connection is judged by rules, and asked about where there is none.
    Gate,
    /// That of the machine.
    Open,
}

/// How far the origin of a call is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Trust {
    /// Only reading inside the workspace, and even that after a question.
    Untrusted,
    /// Reading runs, everything else asks.
    Provisional,
    /// The rules alone decide.
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
