//! Tools: definition, schema, subjects of a call, and the trait for authors.

mod concise;
mod definition;
mod derived;
mod inspection;
mod path_text;
mod schema;
mod script;
mod tool;
mod traits;
mod typed;
mod web_url;

pub use definition::{InvocationHint, ToolDef, ToolDefs, ToolKind, ToolOrigin};
pub use derived::{ToolDescription, ToolSchema};
pub use inspection::{Access, ConfirmReason, FileState, Findings, Inspection, NamedBy, Subject};
pub(crate) use path_text::mapped_path;
pub(crate) use schema::json_type;
pub use schema::{SchemaFault, SchemaProblem, inline_schema, schema_problems};
pub use script::{ContentDigest, Script, ScriptStates};
pub use tool::Tool;
pub use traits::{ToolTraits, TraitConflict};
pub use typed::Typed;
pub(crate) use typed::script_changed;
pub use web_url::WebUrl;
