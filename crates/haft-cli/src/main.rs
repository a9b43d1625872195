//! The `haft` command: a thin layer over the facade crate, with one file per verb.

mod args;
mod asking;
mod commands;
mod exit;
mod log;
mod output;
mod redacted;
mod terminal;

use std::{ffi::OsString, process::ExitCode};

use clap::Parser;

use crate::args::{ApprovalsVerb, Cli, Exec, Filter, McpVerb, PinsVerb, PolicyVerb, Verb};
use crate::commands::undo::{UndoPlace, UndoRequest};
use crate::exit::Exit;
use crate::log::log_to_stderr;

/// The allocator of musl requests and returns memory from the system hundreds of times per start.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // With this, a write beyond the file size limit returns an error instead of killing the
    // process.
    haft::outlive_file_size_limit();
    let arguments: Vec<OsString> = std::env::args_os().collect();
    if commands::mcp::is_plain_serve(&arguments) {
        log_to_stderr(false);
        return ended(finish(commands::mcp::greet_and_serve(arguments)), false);
    }
    if let Some((common, verb)) = args::parse_single_verb::<Filter>("filter", &arguments) {
        log_to_stderr(common.quiet);
        return ended(commands::filter::run(&common, &verb), common.json);
    }
    if let Some((common, verb)) = args::parse_single_verb::<Exec>("exec", &arguments) {
        log_to_stderr(common.quiet);
        return ended(finish(commands::exec::run(&common, &verb)), common.json);
    }
    let cli = Cli::parse();
    log_to_stderr(cli.common.quiet);
    // The hook must answer even if it panics, so it runs its calls itself.
    if let Some(Verb::Hook { host, exec }) = &cli.verb {
        return ended(commands::hook::run(&cli.common, *host, *exec), false);
    }
    ended(finish(run(&cli)), cli.common.json)
}

/// Runs a verb to its end.
fn finish(verb: impl Future<Output = Result<Exit, String>>) -> Result<Exit, String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("the runtime cannot be started: {error}"))?;
    let ended = runtime.block_on(verb);
    // A blocking read from a terminal cannot be cancelled and would delay the exit.
    runtime.shutdown_background();
    ended
}

fn ended(result: Result<Exit, String>, json: bool) -> ExitCode {
    let exit = result.unwrap_or_else(|problem| {
        output::note(&format!("haft: {problem}"));
        if json {
            output::json(&serde_json::json!({"ok": false, "error": {"category": "usage", "message": problem}}));
        }
        Exit::Usage
    });
    ExitCode::from(exit.code())
}

async fn run(cli: &Cli) -> Result<Exit, String> {
    let common = &cli.common;
    let verb = match (&cli.verb, cli.migrate_config) {
        (None, true) => return commands::migrate::run(common, cli.dry_run),
        (Some(verb), false) => verb,
        (Some(_), true) => return Err("`--migrate-config` cannot be combined with a subcommand".to_owned()),
        (None, false) => return Err("no command given; see `haft --help`".to_owned()),
    };
    match verb {
        Verb::Run(verb) => commands::run::run(common, verb).await,
        Verb::Acp(verb) => commands::acp::run(common, verb).await,
        Verb::Sessions { verb } => commands::sessions::run(common, verb).await,
        Verb::Call(verb) => commands::call::run(common, verb).await,
        Verb::Batch { file } => commands::batch::run(common, file.as_deref()).await,
        Verb::Explain(verb) | Verb::Policy { verb: PolicyVerb::Check(verb) } => {
            commands::explain::run(common, verb).await
        }
        Verb::Approvals { verb: ApprovalsVerb::Watch { notify } } => {
            commands::approvals::watch(common, notify.as_deref()).await
        }
        Verb::Policy { verb } => commands::policy::run(common, verb).await,
        Verb::Init { kinds, write } => commands::init::run(common, kinds, *write),
        Verb::Trust { verb } => commands::trust::run(common, verb),
        Verb::Setup(verb) => commands::setup::run(common, verb),
        Verb::Hook { .. } => unreachable!("it is run before"),
        Verb::Exec(verb) => commands::exec::run(common, verb).await,
        Verb::Top { web: _, port } => commands::top::run(common, *port).await,
        Verb::Filter(verb) => commands::filter::run(common, verb),
        Verb::Scan(verb) => commands::scan::run(common, verb),
        Verb::Tools(verb) => commands::tools::run(common, verb).await,
        Verb::Layers => Ok(commands::layers::run(common)),
        Verb::Mcp { verb } => match verb {
            McpVerb::Serve { http, offer, .. } => match http.address {
                #[cfg(feature = "http")]
                Some(address) => commands::mcp_http::serve(common, offer, http, address).await,
                #[cfg(not(feature = "http"))]
                Some(_) => Err("this build was compiled without the feature `http`".to_owned()),
                None => commands::mcp::serve(common, offer).await,
            },
            McpVerb::Add(asked) => commands::servers::add(common, asked).await,
            McpVerb::List => commands::servers::list(common),
            McpVerb::Test { id } => commands::servers::test(common, id.as_deref()).await,
            McpVerb::Login(asked) => commands::login::login(common, asked).await,
            McpVerb::Logout { id } => commands::login::logout(common, id).await,
            McpVerb::Remove { id } => commands::servers::remove(common, id).await,
            McpVerb::Import { files, dry_run } => commands::servers::import(common, files, *dry_run),
        },
        Verb::Pins { verb: PinsVerb::Review { id, accept } } => {
            commands::pins::review(common, id.as_deref(), accept.as_deref()).await
        }
        Verb::Undo { calls, last, list, diff, here } => {
            let what = match (list, diff) {
                (true, _) => UndoRequest::List,
                (_, true) => UndoRequest::Diff,
                _ => UndoRequest::Undo(UndoPlace::of_option(*here)),
            };
            commands::undo::run(common, what, commands::undo::selection(common, calls, *last)).await
        }
        Verb::Redo { here } => {
            commands::undo::run(common, UndoRequest::Redo(UndoPlace::of_option(*here)), 1.into()).await
        }
        Verb::Audit { verb } => commands::audit::run(common, verb).await,
        Verb::Overflow { verb } => commands::overflow::run(common, verb).await,
        Verb::Memory { verb } => commands::memory::run(common, verb).await,
        Verb::Schedule { verb } => commands::schedule::run(common, verb).await,
        Verb::Skills { verb } => commands::skills::run(common, verb),
        Verb::Config { verb } => commands::config::run(common, verb),
        Verb::Doctor => commands::doctor::run(common).await,
        Verb::Demo { dir } => commands::demo::run(common, dir).await,
        Verb::Completions { shell } => commands::completions::run(common, *shell),
        Verb::Man { dir } => commands::man::run(dir),
        Verb::Complete { words } => Ok(commands::complete::run(words)),
        Verb::Reference { dir } => commands::reference::run(dir),
    }
}
