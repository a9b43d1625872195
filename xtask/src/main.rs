//! Runs the workspace's chores: `cargo xtask ci` and its parts.

fn main() {}
