//! Package managers, runners and publishers of JavaScript.

mod bun;
mod npm;
mod pnpm;
mod tools;
mod yarn;

pub(super) use bun::ALL as BUN;
pub(super) use npm::ALL as NPM;
pub(super) use pnpm::ALL as PNPM;
pub(super) use tools::ALL as TOOLS;
pub(super) use yarn::ALL as YARN;
