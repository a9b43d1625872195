//! A tool call of a model, built once and immutable.

use std::fmt;

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{CallId, CallerId, ToolError, ToolErrorCategory, ToolName, tools::json_type};

use super::canonical::{canonical_json, hex};
use super::parameters::{self, JsonObject};
use super::thought::remove_thoughts;

/// A call that a model requests.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolCall {
    /// Identifies this call; the result is paired with it.
    pub id: CallId,
    /// The requested tool; it may not exist.
    pub tool: ToolName,
    /// The arguments as the model wrote them.
    pub params: JsonObject,
    /// The principal behind the call; `None` if the host named nobody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller_id: Option<CallerId>,
}

impl ToolCall {
    /// Builds a call with a fresh identifier. Fields in which a model wrote thoughts
    /// ([`crate::THOUGHT_PREFIX`]) are removed: no executor, gate, record or event sees them.
    ///
    /// # Errors
    /// `InvalidParameters` when `tool` is no tool name or `params` is neither an object nor `null`
    /// (no parameters).
    pub fn new(tool: &str, params: Value) -> Result<Self, ToolError> {
        let tool = ToolName::parse(tool).map_err(|error| {
            ToolError::new(ToolErrorCategory::InvalidParameters, "invalid_tool_name", error.to_string())
        })?;
        let params = match params {
            Value::Object(mut map) => {
                remove_thoughts(&mut map);
                map
            }
            Value::Null => JsonObject::new(),
            other => {
                let found = json_type(&other);
                return Err(ToolError::new(
                    ToolErrorCategory::TypeMismatch,
                    "params_not_an_object",
                    format!("the parameters must be a JSON object, found {found}"),
                ));
            }
        };
        Ok(Self { id: CallId::generate(), tool, params, caller_id: None })
    }

    /// The same call under another identifier.
    pub fn with_id(self, id: CallId) -> Self {
        Self { id, ..self }
    }

    /// The same call on behalf of `caller`.
    pub fn with_caller(self, caller: CallerId) -> Self {
        Self { caller_id: Some(caller), ..self }
    }

    /// Decodes the parameters.
    ///
    /// # Errors
    /// `TypeMismatch` when a value has another JSON type than the schema of `T` says,
    /// `InvalidParameters` for every other fault. The message names each field at fault by its path
    /// (`edits[1].old`) and says what would be right.
    pub fn parse<T: DeserializeOwned + JsonSchema>(&self) -> Result<T, ToolError> {
        parameters::decode(&self.tool, &self.params)
    }

    /// Digest that binds an [`crate::Approval`] to the call: the tool and its canonical parameters,
    /// not the identifier.
    pub fn digest(&self) -> CallDigest {
        let params = canonical_json(&Value::Object(self.params.clone()));
        let mut hash = Sha256::new();
        hash.update(self.tool.as_str().as_bytes());
        hash.update([0]);
        hash.update(params.as_bytes());
        CallDigest(hash.finalize().into())
    }
}

/// The SHA-256 of a call's tool and canonical parameters.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CallDigest([u8; 32]);

impl fmt::Display for CallDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for CallDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CallDigest({self})")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn digest_ignores_identifier_and_key_order_but_nothing_else() {
        let call = |tool: &str, params: &str| ToolCall::new(tool, serde_json::from_str(params).unwrap()).unwrap();
        let a = call("bash", r#"{"command":"ls","timeout":1}"#);
        assert_eq!(a.digest(), call("bash", r#"{"timeout":1,"command":"ls"}"#).digest());
        assert_ne!(a.digest(), call("read", r#"{"command":"ls","timeout":1}"#).digest());
        assert_ne!(a.digest(), call("bash", r#"{"command":"ls","timeout":2}"#).digest());
    }

    #[test]
    fn what_a_model_thought_is_no_part_of_a_call() {
        let call = ToolCall::new("read", json!({"_tafc_think": "hm", "_tafc_think_2": {"a": 1}, "path": "a"})).unwrap();
        assert_eq!(Value::Object(call.params.clone()), json!({"path": "a"}));
        assert_eq!(call.digest(), ToolCall::new("read", json!({"path": "a"})).unwrap().digest());
    }

    #[test]
    fn parameters_must_be_an_object() {
        assert_eq!(ToolCall::new("read", Value::Null).unwrap().params, JsonObject::new());
        let error = ToolCall::new("read", json!(["a"])).unwrap_err();
        assert_eq!(error.category(), ToolErrorCategory::TypeMismatch);
        assert_eq!(error.to_string(), "the parameters must be a JSON object, found an array");
    }
}
