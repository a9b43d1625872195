//! Options of memories, scheduled tasks and skills.

use std::path::PathBuf;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum MemoryVerb {
    /// List the memories of this project and of the user, newest first.
    List {
        /// Include every project and session.
        #[arg(long)]
        all: bool,
        /// Show only memories that match this query, best match first.
        #[arg(long, value_name = "QUERY", conflicts_with = "all")]
        search: Option<String>,
    },
    /// Print a memory.
    Show {
        /// ID of the memory.
        id: String,
    },
    /// Delete memories permanently.
    Rm {
        /// IDs of the memories.
        #[arg(required = true)]
        ids: Vec<String>,
    },
    /// Print all memories as JSON lines, for `import`.
    Export,
    /// Store memories printed by `export`. Existing ones are skipped; stops at the first line that
    /// cannot be stored.
    Import {
        /// File with the JSON lines [default: standard input, also `-`].
        file: Option<PathBuf>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ScheduleVerb {
    /// List the tasks with their next run and last result.
    List,
    /// Print the next times a task runs.
    Next {
        /// Name of the task.
        name: String,
        /// Number of times to print.
        #[arg(short = 'n', long, default_value_t = 5)]
        times: usize,
    },
    /// Run a task now. Its schedule does not change.
    Run {
        /// Name of the task.
        name: String,
    },
    /// Remove tasks.
    Rm {
        /// Names of the tasks.
        #[arg(required = true)]
        names: Vec<String>,
    },
    /// Run the tasks of this directory when they are due, until interrupted. Calls that need
    /// approval are denied.
    Serve,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SkillsVerb {
    /// List the skills, their owner and whether they are trusted.
    List,
    /// Validate skills against the Agent Skills format. Prints each problem and exits with 1 if
    /// there is one.
    Check {
        /// Skill directories [default: all skills].
        folders: Vec<PathBuf>,
    },
    /// Trust skills of this project in their current state.
    Trust {
        /// Names of the skills.
        #[arg(required = true)]
        names: Vec<String>,
        /// Revoke the trust instead.
        #[arg(long)]
        revoke: bool,
    },
}
