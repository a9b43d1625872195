//! Real hosts against the binary and a scripted model on loopback: set up, list, call, approve, 40
//! commands of the host's own shell, undo. Prints a table; fails where a row of it does.
//!
//! Usage: `haft-interop-hosts HAFT NODE_MODULES/.bin [HOST…]`. It runs where nothing but loopback
//! can be reached, or says that it could not be kept to that.

mod checks;
mod commands;
mod home;
mod host;
mod model;
mod namespace;
mod session;
mod watcher;

use std::{path::PathBuf, process::ExitCode};

use host::Host;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [haft, programs, named @ ..] = words.as_slice() else {
        eprintln!("usage: haft-interop-hosts HAFT PROGRAMS [HOST…]");
        return ExitCode::from(2);
    };
    if let Some(code) = namespace::enter() {
        return code;
    }
    let (haft, programs) = (PathBuf::from(haft), PathBuf::from(programs));
    let mut is_good = true;
    for host in host::all().into_iter().filter(|host| named.is_empty() || named.iter().any(|name| name == host.name()))
    {
        is_good &= one(host.as_ref(), &haft, &programs);
    }
    if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn one(host: &dyn Host, haft: &std::path::Path, programs: &std::path::Path) -> bool {
    let program = programs.join(host.program());
    if !program.exists() {
        println!("\n{}: skipped, `{}` is not there", host.name(), program.display());
        return true;
    }
    match checks::run(host, haft, &program) {
        Ok(report) => {
            println!("\n{} {}", host.name(), report.version);
            for row in &report.rows {
                println!("  {:<5} {:<34} {}", if row.is_good { "ok" } else { "FAIL" }, row.what, row.found);
            }
            report.rows.iter().all(|row| row.is_good)
        }
        Err(problem) => {
            println!("\n{}: FAIL {problem}", host.name());
            false
        }
    }
}
