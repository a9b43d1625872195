//! Agent Skills: folders with a `SKILL.md`. A model always sees the name and description, loads the
//! body when needed, and reads other files on request.
//!
//! [`discover`] finds them, [`check`] validates one as strictly as the format's own validator. A
//! skill of a project is used only after a person agreed to its content: [`Pins`] stores that with
//! a digest of all its files. [`Skills`] is shared by the tools and the layer. A skill restricts
//! what a session may call and never extends it: a tool that it declares is a name for calls of the
//! shell, which are judged as such.

mod front_matter;
mod inline;
mod skill;

mod check;
mod discover;
mod tree;

mod pins;

mod active;
mod allowed;
mod skills;
mod stand_ins;
mod substitute;
mod text_sanitizer;

mod config;
mod error;
mod layer;
mod tools;

pub use active::Activation;
pub use allowed::AllowedTools;
pub use check::check;
pub use config::{SkillsConfig, Trust};
pub use discover::{Origin, Place, SkillFolder, discover, places};
pub use error::SkillError;
pub use front_matter::{Field, FrontMatter};
pub use inline::InlineTool;
pub use layer::SkillsLayer;
pub use pins::Pins;
pub use skill::Skill;
pub use skills::Skills;
pub use tools::SkillTools;
pub use tree::{Tree, tree};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
