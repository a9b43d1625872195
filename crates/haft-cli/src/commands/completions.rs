//! `haft completions`: prints a completion script for a shell. For bash, fish and zsh the script
//! also calls `haft complete` for names that depend on the configuration.

use clap::CommandFactory;
use clap_complete::Shell;
use serde_json::json;

use crate::args::{Cli, CommonArgs};
use crate::exit::Exit;
use crate::output;

/// Prints the script.
pub(crate) fn run(common: &CommonArgs, shell: Shell) -> Result<Exit, String> {
    // Generate into memory first: the generator panics if its reader is gone.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "haft", &mut script);
    let script = String::from_utf8(script).map_err(|error| error.to_string())?;
    let script = with_tools(shell, &script);
    if common.json {
        output::json(&json!({"shell": shell.to_string(), "script": script}));
    } else {
        output::line(script.trim_end());
    }
    Ok(Exit::Ok)
}

/// Prepends a function that completes tools and their parameters to the generated script.
fn with_tools(shell: Shell, script: &str) -> String {
    match shell {
        Shell::Bash => format!("{script}\n{}", include_str!("completions/tools.bash")),
        Shell::Fish => format!("{script}\n{}", include_str!("completions/tools.fish")),
        Shell::Zsh => {
            // Insert before the last step, which calls or registers the function.
            let (functions, last) = script.rsplit_once("\nif [ ").unwrap_or((script, ""));
            format!("{functions}\n{}\nif [ {last}", include_str!("completions/tools.zsh"))
        }
        _ => script.to_owned(),
    }
}
