//! Redaction that fails closed: even if a redactor fails, no unredacted text reaches a line.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;
use tools_core::Redactor;

/// A redactor that answers even if the inner one fails: then the length of the text is recorded
/// instead of the text.
#[derive(Clone, Copy)]
pub(crate) struct FailClosed<'a>(pub(crate) &'a dyn Redactor);

impl Redactor for FailClosed<'_> {
    fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        catch_unwind(AssertUnwindSafe(|| self.0.redact(text)))
            .unwrap_or_else(|_| Cow::Owned(format!("«not recorded: {} bytes»", text.len())))
    }

    fn redact_json(&self, value: &Value) -> Value {
        catch_unwind(AssertUnwindSafe(|| self.0.redact_json(value)))
            .unwrap_or_else(|_| Value::String("«not recorded»".to_owned()))
    }
}
