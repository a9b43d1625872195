//! A provider that follows a script: in the process, or as a server on loopback that supports every
//! protocol.
//!
//! # The script
//!
//! A script is TOML: one `[[turns]]` for each request, in order. A request after the last turn is
//! refused.
//!
//! ```toml
//! protocol = "anthropic"           # how ScriptedProvider speaks: anthropic (default), openai-chat, openai-responses, ollama
//! context_tokens = 128000          # what the model reads at most
//! tool_use = true                  # false: a model without native tool use
//!
//! [[turns]]
//! expect = "does the test fail"    # the newest message has to hold this text; otherwise the request is refused
//! thinking = "First I look."
//! text = "I read the test."
//! usage = { input = 900, cached_read = 0, cache_write = 0, output = 40 }
//! calls = [
//!     { tool = "read", params = { path = "tests/it.rs" } },
//!     { tool = "bash", arguments = '{"command": ', id = "" },   # arguments as they are, and no id
//! ]
//!
//! [[turns]]
//! fault = "status"                 # instead of an answer; see `Fault`
//! status = 429
//! retry_after = "1"
//!
//! [[turns]]
//! text = "Done."
//! stop = "max_tokens"              # why the answer ends, in the interface's word; usually it is worked out
//! pieces = 1                       # the answer comes in pieces of so many bytes
//! fault = "truncated"
//! ```

mod answer;
mod provider;
mod script;
mod server;

pub use answer::{Answer, End, answer};
pub use provider::ScriptedProvider;
pub use script::{Fault, Script, ScriptError, ScriptedCall, Turn};
pub use server::{ReceivedRequest, ScriptedServer};
