//! Logins at the authorization servers of MCP servers (OAuth 2.1). Pure functions decide about the
//! content of messages; every address that a server names is checked before it is contacted; tokens
//! are stored in a file of this user and sent only to the server that they were issued for.

mod challenge;
mod scopes;

mod fault;
mod metadata;
mod token;

mod client;
mod random;
mod redirect;

mod store;
mod web;

mod discovery;
mod login;
mod renewal;

pub(crate) use challenge::Challenge;
pub use client::ClientKeys;
pub use fault::LoginError;
pub use login::{LoginRequest, LoginSummary, PendingLogin, ServerLogin, StartedLogin};
pub use scopes::Scopes;
pub(crate) use scopes::is_scope;
pub use store::LoginStore;
