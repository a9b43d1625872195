//! Helpers for the tests of Haft's crates. A dev-dependency only: nothing here is meant for a
//! running agent. Setup failures panic, because the test cannot continue.

pub mod contract;

mod clock;
mod events;
mod judge;
mod mcp;
mod model;
mod numbers;
mod postgres;
mod programs;
mod scripted;
mod workspace;

pub use clock::FakeClock;
pub use events::EventLog;
pub use judge::{FakeJudge, Ruling};
pub use mcp::ScriptedMcp;
pub use model::write_model;
pub use numbers::Numbers;
pub use postgres::PostgresServer;
pub use programs::{eventually, installed, namespaces, processes_with, program};
pub use scripted::{Behaviour, PathTaken, RunRecord, ScriptedExecutor};
pub use workspace::Workspace;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
