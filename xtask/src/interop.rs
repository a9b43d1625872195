//! The binary against what others publish: packages that are workspaces of their own, because they would change the
//! features of everyone else's dependencies.

use std::process::Command;

use crate::{
    command::{self, Failure},
    repository,
};

/// The official client and schema of the Agent Client Protocol.
const ACP: &str = "interop/acp/Cargo.toml";

/// Builds the binary and drives it.
pub(crate) fn run() -> Result<(), Failure> {
    command::run(&mut command::cargo(&["build", "--locked", "--workspace", "--bin", "haft"]))?;
    command::run(&mut acp())
}

fn acp() -> Command {
    let root = repository::root();
    let mut tests = command::cargo(&["test", "--locked", "--manifest-path", ACP]);
    tests.arg("--target-dir").arg(root.join("target/interop")).env("HAFT", root.join("target/debug/haft"));
    tests
}
