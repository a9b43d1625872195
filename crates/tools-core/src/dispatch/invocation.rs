//! A call on its way to its tool.

use std::sync::Arc;

use crate::{CallContext, Inspection, JsonObject, ToolCall, ToolDef, ToolError, ToolErrorCategory};

/// A call on its way through the layers.
#[derive(Debug, Clone)]
pub struct Invocation {
    /// The call.
    pub call: Arc<ToolCall>,
    /// Definition of the tool that the call names. If no executor has that tool, the definition has
    /// no description and the traits [`crate::ToolTraits::CAUTIOUS`].
    pub definition: Arc<ToolDef>,
    /// Session, place and limits of the call.
    pub context: CallContext,
    inspection: Arc<Result<Inspection, ToolError>>,
    /// Whether the parameters differ from the judged ones.
    pub(super) rewritten: bool,
}

impl Invocation {
    pub(crate) fn new(
        call: Arc<ToolCall>,
        definition: Arc<ToolDef>,
        context: CallContext,
        inspection: Result<Inspection, ToolError>,
    ) -> Self {
        Self { call, definition, context, inspection: Arc::new(inspection), rewritten: false }
    }

    /// The subjects of the call.
    ///
    /// # Errors
    /// The error of the inspection: a gate that needs the subjects returns it, after the audit has
    /// opened its line.
    pub fn inspection(&self) -> Result<&Inspection, ToolError> {
        self.inspection.as_ref().as_ref().map_err(ToolError::clone)
    }

    /// The same call in another context.
    pub fn in_context(&self, context: CallContext) -> Self {
        Self { context, ..self.clone() }
    }

    /// Replaces the text of content parameters ([`ToolDef::content`]) for the layers further in and
    /// the executor. The layers further out keep the original call.
    ///
    /// # Errors
    /// `PolicyBlocked/parameters_changed` when `params` differ from the call's in any other
    /// parameter.
    ///
    /// # Security
    /// The original call was judged and agreed to. Only content written to files may differ from
    /// it, and no gate examines that.
    pub fn with_params(&self, params: JsonObject) -> Result<Self, ToolError> {
        if let Some(name) = self.changed_beyond_content(&params) {
            return Err(parameters_changed(&self.call, name));
        }
        let call = ToolCall { params, ..self.call.as_ref().clone() };
        Ok(Self { call: Arc::new(call), rewritten: true, ..self.clone() })
    }

    /// A non-content parameter that `params` changes, adds or drops.
    fn changed_beyond_content<'a>(&'a self, params: &'a JsonObject) -> Option<&'a str> {
        let given = &self.call.params;
        let names = given.keys().chain(params.keys()).map(String::as_str);
        let is_content = |name: &str| {
            self.definition.content.contains(&name) && given.contains_key(name) && params.contains_key(name)
        };
        names.filter(|name| !is_content(name)).find(|name| given.get(*name) != params.get(*name))
    }
}

fn parameters_changed(call: &ToolCall, name: &str) -> ToolError {
    let message = format!("a layer may not change the parameter `{name}` of `{}`, which was judged", call.tool);
    ToolError::new(ToolErrorCategory::PolicyBlocked, "parameters_changed", message)
}
