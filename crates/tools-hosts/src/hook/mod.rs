//! Hooks: a host runs a program before each of its own tools, and obeys what it answers. One file
//! per host says how the host's tools are named and how its answers look; [`Event`] and [`Answer`]
//! are the same for all.

mod event;
mod fields;
mod patch;
mod quote;
mod strings;

pub mod claude_code;
pub mod codex;
pub mod cursor;
pub mod gemini;

pub use event::{Answer, Decision, Event, Format, HookRequest, HookStart, HostCall, HostCallOrigin, Unreadable};
pub use quote::quoted;
pub use strings::map_strings;
