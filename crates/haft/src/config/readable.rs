//! What the loader needs of a type of configuration.

use schemars::Schema;
use serde_json::Value;

/// A type into which a configuration is read.
///
/// Implemented by a macro where the type is: its reading is compiled there, and not again in each
/// crate that loads one.
pub trait Readable: Sized {
    /// The schema of its texts.
    fn schema() -> Schema;

    /// The configuration of a text without a fault; `None` where it may have one.
    fn decoded(text: &str) -> Option<Self>;

    /// The configuration of values; `None` where one has a fault.
    fn of_value(value: Value) -> Option<Self>;

    /// The same, with the path and the problem of the first fault.
    ///
    /// # Errors
    /// That fault.
    fn of_faulty(value: &Value) -> Result<Self, ValueFault>;

    /// Its values, defaults included.
    fn to_value(&self) -> Value;
}

/// A fault of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueFault {
    /// The path of its key.
    pub path: String,
    /// The problem, in words.
    pub problem: String,
}

/// Implements [`Readable`] for a type that serde and schemars know.
macro_rules! readable {
    ($config:ty) => {
        impl $crate::config::readable::Readable for $config {
            fn schema() -> schemars::Schema {
                tools_core::inline_schema::<Self>()
            }

            fn decoded(text: &str) -> Option<Self> {
                $crate::config::typed::decode(text)
            }

            fn of_value(value: serde_json::Value) -> Option<Self> {
                serde_json::from_value(value).ok()
            }

            fn of_faulty(value: &serde_json::Value) -> Result<Self, $crate::config::readable::ValueFault> {
                serde_path_to_error::deserialize(value).map_err(|error| $crate::config::readable::ValueFault {
                    path: error.path().to_string(),
                    problem: error.inner().to_string(),
                })
            }

            fn to_value(&self) -> serde_json::Value {
                serde_json::to_value(self).unwrap_or_default()
            }
        }
    };
}
#[cfg(test)]
pub(super) use readable;

readable!(super::HaftConfig);
