//! Runs the workspace's chores: parses the command line and calls one module per chore. Continuous
//! integration calls only this program.
#![expect(
    clippy::disallowed_methods,
    reason = "starts cargo on behalf of a developer; nothing here runs a model's command"
)]

mod bench;
mod ci;
mod codegen;
mod command;
mod deps;
mod dist;
mod failure;
mod fuzz;
mod interop;
mod layering;
mod metadata;
mod packages;
mod repository;
mod shapes;
mod start_pages;
mod tidy;
mod timings;

use std::process::ExitCode;

use failure::Failure;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  ci                              everything a push must pass
  tidy                            rules about the sources
  layering                        which crate may depend on which
  packages [--write]              how many packages each crate pulls, against the committed list
  shapes                          each crate alone, with and without its features, and the fuzz targets
  start-pages                     the pages of docs/start as the crates that their readers make
  codegen [--check]               write docs/reference, or name what is stale
  bench [--save N | --compare N]  criterion benches with a named baseline
  fuzz TARGET [SECONDS]           one fuzz target, 600 seconds; needs cargo-fuzz
  interop                         `haft acp` against the official client and schema
  interop conformance             the official MCP conformance suite from npm against a server over HTTP
  interop hosts [HOST…]           `haft setup` and `haft hook` against hosts from npm and a scripted model on loopback
  interop models                  `haft run` against a server from npm that speaks the providers' protocols
  deps [--install]                licences, bans, sources, duplicate versions
  dist [--time]                   release archive and packages, or only the cold build's time
  dist --check [BINARY]           packs the debug build, or another, and installs it in each way from local files";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("xtask: {failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}

fn run(words: &[&str]) -> Result<(), Failure> {
    match words {
        ["ci"] => ci::run(),
        ["tidy"] => tidy::run(),
        ["layering"] => layering::run(),
        ["packages"] => packages::check(),
        ["packages", "--write"] => packages::write(),
        ["shapes"] => shapes::run(),
        ["start-pages"] => start_pages::check(),
        ["codegen"] => codegen::write(),
        ["codegen", "--check"] => codegen::check(),
        ["bench", options @ ..] => bench::run(options),
        ["fuzz", target] => fuzz::run(target, 600),
        ["fuzz", target, seconds] => match seconds.parse() {
            Ok(seconds) => fuzz::run(target, seconds),
            Err(_) => Err(Failure::Usage(format!("`{seconds}` is not a number of seconds"))),
        },
        ["interop"] => interop::run(),
        ["interop", "conformance"] => interop::conformance(),
        ["interop", "hosts", names @ ..] => interop::hosts(names),
        ["interop", "models"] => interop::models(),
        ["deps"] => deps::run(),
        ["deps", "--install"] => deps::install_and_run(),
        ["dist"] => dist::run(),
        ["dist", "--time"] => dist::time_cold_build(),
        ["dist", "--check"] => dist::check(None),
        ["dist", "--check", binary] => dist::check(Some(binary)),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        [] => Err(Failure::Usage(USAGE.to_owned())),
        [unknown, ..] => Err(Failure::Usage(format!("`{unknown}` with these options is not a command\n{USAGE}"))),
    }
}
