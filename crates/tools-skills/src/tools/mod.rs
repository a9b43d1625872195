//! The two tools, and what they share.

mod invoke_skill;
mod load_skill;
mod shared;

pub use shared::SkillTools;
