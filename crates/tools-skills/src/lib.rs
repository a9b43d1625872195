//! Agent Skills: folders with a `SKILL.md`, whose name and description a model always sees, whose
//! body it loads when it needs it, and whose other files it reads on request.
//!
//! [`discover`] finds them, [`check`] holds one to the format as strictly as the format's own
//! validator. A skill of a project counts only when a person agreed to what it holds: [`Pins`]
//! remembers that by a digest of all its files. [`Skills`] is what the tools and the layer share. A
//! skill narrows what a session may call and never widens it: a tool that it declares is a name for
//! calls of the shell, which are judged as such.

mod front;
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
mod told;

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
pub use front::{Field, FrontMatter};
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
