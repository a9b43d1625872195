//! Descriptions and schemas derived from types, made on first use. A program start defines all
//! tools, and most definitions are never read.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use schemars::{JsonSchema, Schema};
use serde::{Serialize, Serializer};

use super::concise::{concise, unwrapped};
use crate::inline_schema;

/// Parts of a definition derived from a type.
pub(super) struct DerivedParts {
    make: fn() -> MadeParts,
    made: OnceLock<MadeParts>,
}

struct MadeParts {
    description: String,
    schema: Schema,
}

impl DerivedParts {
    /// The description and schema of parameters.
    pub(super) fn parameters<Args: JsonSchema>() -> Arc<Self> {
        Self::by(|| {
            let mut schema = inline_schema::<Args>();
            let description = schema.remove("description").and_then(|text| text.as_str().map(str::to_owned));
            concise(schema.ensure_object());
            MadeParts { description: unwrapped(&description.unwrap_or_default()), schema }
        })
    }

    /// The schema of a result.
    pub(super) fn result<Output: JsonSchema>() -> Arc<Self> {
        Self::by(|| MadeParts { description: String::new(), schema: inline_schema::<Output>() })
    }

    fn by(make: fn() -> MadeParts) -> Arc<Self> {
        Arc::new(Self { make, made: OnceLock::new() })
    }

    fn made(&self) -> &MadeParts {
        self.made.get_or_init(self.make)
    }
}

/// JSON Schema of a tool's parameters or result. One derived from a type is made on first use;
/// clones share it.
#[derive(Clone)]
pub struct ToolSchema(SchemaSource);

#[derive(Clone)]
enum SchemaSource {
    Given(Arc<Schema>),
    Derived(Arc<DerivedParts>),
}

impl ToolSchema {
    pub(super) fn derived(derived: Arc<DerivedParts>) -> Self {
        Self(SchemaSource::Derived(derived))
    }

    /// Whether the schema has been made: an unused one costs nothing.
    pub fn is_made(&self) -> bool {
        match &self.0 {
            SchemaSource::Given(_) => true,
            SchemaSource::Derived(derived) => derived.made.get().is_some(),
        }
    }
}

impl Deref for ToolSchema {
    type Target = Schema;

    fn deref(&self) -> &Schema {
        match &self.0 {
            SchemaSource::Given(schema) => schema,
            SchemaSource::Derived(derived) => &derived.made().schema,
        }
    }
}

impl From<Schema> for ToolSchema {
    fn from(schema: Schema) -> Self {
        Self(SchemaSource::Given(Arc::new(schema)))
    }
}

impl Serialize for ToolSchema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl fmt::Debug for ToolSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

/// Description of a tool. One derived from the doc comment of a type is made on first use, with its
/// schema.
#[derive(Clone)]
pub struct ToolDescription(TextSource);

#[derive(Clone)]
enum TextSource {
    Given(Cow<'static, str>),
    Derived(Arc<DerivedParts>),
}

impl ToolDescription {
    pub(super) fn derived(derived: Arc<DerivedParts>) -> Self {
        Self(TextSource::Derived(derived))
    }
}

impl Deref for ToolDescription {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            TextSource::Given(text) => text,
            TextSource::Derived(derived) => &derived.made().description,
        }
    }
}

impl<T: Into<Cow<'static, str>>> From<T> for ToolDescription {
    fn from(text: T) -> Self {
        Self(TextSource::Given(text.into()))
    }
}

impl fmt::Display for ToolDescription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl fmt::Debug for ToolDescription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl PartialEq<&str> for ToolDescription {
    fn eq(&self, text: &&str) -> bool {
        **self == **text
    }
}

impl Serialize for ToolDescription {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::{ToolDef, ToolKind, ToolTraits};

    /// Looks.
    #[derive(schemars::JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Args {
        /// Where.
        path: String,
    }

    #[test]
    fn a_schema_is_made_at_the_first_look_and_clones_share_it() {
        let definition = ToolDef::of::<Args>("look", ToolKind::Read, ToolTraits::READ_ONLY).with_output::<Args>();
        let clone = definition.clone().titled("Look");
        let output = definition.output.as_ref().unwrap();
        assert!(!definition.input.is_made() && !output.is_made());
        assert_eq!(clone.description, "Looks.");
        assert!(definition.input.is_made() && !output.is_made());
        assert_eq!(output.as_value()["properties"]["path"]["description"], json!("Where."));
        assert!(clone.output.unwrap().is_made());
    }
}
