//! The files that child processes of a workspace see ([`View`]): the system, the workspace, and
//! elsewhere only granted places, each with its reason. The view is computed here once; the sandbox
//! renders it, the report on the machine prints it, and results of commands cite it.

mod caches;
mod concealed;
mod discover;
mod grants;
mod report;
mod repository;
mod surroundings;
mod toolchains;
mod user;
mod value;

pub use caches::{CACHES, CachePlace};
pub use discover::ViewRequest;
pub use report::{ViewReport, VisiblePlace};
pub use surroundings::Surroundings;
pub use value::{ConcealedFolder, GrantedPath, Link, SubstituteFile, View};
