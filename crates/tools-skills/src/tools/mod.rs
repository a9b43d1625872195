//! The two tools, and what they share.

mod executors;
mod invoke_skill;
mod load_skill;
mod shared;

pub use executors::SkillTools;
