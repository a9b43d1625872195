//! Names and identifiers: parsed once at the edge, cheap to clone, never confused with one another.

use std::{fmt, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize};
use thiserror::Error;
use uuid::Uuid;

/// Reason why a text is no valid name or identifier.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum InvalidName {
    /// A tool name is 1 to 64 characters out of `A-Z a-z 0-9 _ -`.
    #[error("`{}` is not a tool name: 1 to 64 characters out of letters, digits, `_` and `-`", shown(.0))]
    Tool(String),
    /// An identifier is 1 to 256 characters without control characters.
    #[error("`{}` is not an identifier: 1 to 256 characters without control characters", shown(.0))]
    Identifier(String),
}

/// The first characters of a hostile text, escaped so that an error message stays one line.
fn shown(text: &str) -> String {
    text.chars().take(80).flat_map(char::escape_debug).collect()
}

/// The name of a tool: 1 to 64 characters out of letters, digits, `_` and `-`, as every provider
/// accepts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct ToolName(Arc<str>);

impl ToolName {
    /// Parses a name.
    ///
    /// # Errors
    /// [`InvalidName::Tool`] when it is empty, longer than 64 characters or holds any other
    /// character.
    pub fn parse(name: &str) -> Result<Self, InvalidName> {
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if (1..=64).contains(&name.len()) && name.chars().all(fits) {
            Ok(Self(Arc::from(name)))
        } else {
            Err(InvalidName::Tool(name.to_owned()))
        }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for ToolName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

impl std::borrow::Borrow<str> for ToolName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

macro_rules! identifier {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Parses an identifier that came from outside.
            ///
            /// # Errors
            /// [`InvalidName::Identifier`] when it is empty, longer than 256 characters or holds
            /// control characters.
            pub fn parse(id: &str) -> Result<Self, InvalidName> {
                if id.is_empty() || id.chars().count() > 256 || id.chars().any(char::is_control) {
                    Err(InvalidName::Identifier(id.to_owned()))
                } else {
                    Ok(Self(Arc::from(id)))
                }
            }

            /// A fresh, time-ordered identifier (UUID version 7).
            pub fn generate() -> Self {
                Self(Arc::from(Uuid::now_v7().simple().encode_lower(&mut Uuid::encode_buffer()) as &str))
            }

            /// The identifier as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Self::parse(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

identifier! {
    /// Identifies one call; unique within a session.
    CallId
}
identifier! {
    /// The principal that asked for a call: a user, a channel, a sub-agent.
    CallerId
}

impl CallerId {
    /// The person at this machine, who answers questions that come from no named client.
    pub fn person() -> Self {
        Self(Arc::from("person"))
    }
}

identifier! {
    /// One run of an agent; scopes caches, quotas and the record of files read.
    SessionId
}
identifier! {
    /// One conversation; scopes stored output. A session may serve several.
    ConversationId
}
identifier! {
    /// The calls that a model requested in one turn.
    BatchId
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_names_are_what_every_provider_accepts() {
        for good in ["read", "a", "mcp_server_tool-1", &"x".repeat(64)] {
            assert_eq!(ToolName::parse(good).map(|n| n.to_string()), Ok(good.to_owned()));
        }
        for bad in ["", "a b", "ä", "a/b", "a\n", &"x".repeat(65)] {
            assert_eq!(ToolName::parse(bad), Err(InvalidName::Tool(bad.to_owned())));
        }
    }

    #[test]
    fn identifiers_refuse_control_characters_and_length() {
        assert!(CallId::parse("call_01 ä").is_ok());
        for bad in ["", "a\nb", "a\u{1b}[31m", &"x".repeat(257)] {
            assert!(CallId::parse(bad).is_err(), "{bad:?}");
        }
        assert_ne!(CallId::generate(), CallId::generate());
    }
}
