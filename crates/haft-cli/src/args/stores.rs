//! What can be typed about what is kept between sessions: memories, tasks at later times and skills.

use std::path::PathBuf;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum MemoryVerb {
    /// List the memories of this project and the user's own, the newest first.
    List {
        /// Those of every project and session.
        #[arg(long)]
        all: bool,
        /// Only those that answer this query, the best first.
        #[arg(long, value_name = "QUERY", conflicts_with = "all")]
        search: Option<String>,
    },
    /// Print one.
    Show {
        /// Its identifier.
        id: String,
    },
    /// Remove some for good.
    Rm {
        /// Their identifiers.
        #[arg(required = true)]
        ids: Vec<String>,
    },
    /// Print all of them as JSON lines, for `import`.
    Export,
    /// Store what `export` printed. What is there already is skipped, and a line that cannot be stored ends it.
    Import {
        /// The lines; standard input when missing or `-`.
        file: Option<PathBuf>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ScheduleVerb {
    /// List the tasks, with when they run next and what became of them last.
    List,
    /// Print when a task runs next.
    Next {
        /// Its name.
        name: String,
        /// How many times.
        #[arg(short = 'n', long, default_value_t = 5)]
        times: usize,
    },
    /// Run a task now, as if its time had come; its times stay as they are.
    Run {
        /// Its name.
        name: String,
    },
    /// Remove tasks.
    Rm {
        /// Their names.
        #[arg(required = true)]
        names: Vec<String>,
    },
    /// Run the tasks of this folder when they are due, until it is interrupted. Nobody is asked: what would ask is refused.
    Serve,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SkillsVerb {
    /// List the skills, whose they are and whether they count.
    List,
    /// Hold skills to the format, as strictly as its own validator: a line for each fault, and 1 when there is one.
    Check {
        /// Folders of skills; all of them when missing.
        folders: Vec<PathBuf>,
    },
    /// Agree to skills of this project as their files are now.
    Trust {
        /// Their names.
        #[arg(required = true)]
        names: Vec<String>,
        /// Take it back instead.
        #[arg(long)]
        revoke: bool,
    },
}
