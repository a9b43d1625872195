//! The two tools, and their common parts.

mod executors;
mod invoke_skill;
mod load_skill;
mod shared;

pub use executors::SkillTools;
