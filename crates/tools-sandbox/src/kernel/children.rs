//! What holds the programs that tools start beside commands: what their crates need of whoever
//! confines commands.

use std::{fmt, path::PathBuf, sync::Arc};

use super::{Confinement, MaskRules, Network, NetworkNamespace, Sandbox};

/// Holds checkers, language servers and MCP servers to what commands are held to. Called before
/// each of them starts.
pub trait ChildConfinement: fmt::Debug + Send + Sync {
    /// The folders that commands may write.
    fn writable(&self) -> Vec<PathBuf>;

    /// The masks of whatever commands cannot read.
    fn hidden(&self) -> &MaskRules;

    /// Environment variables that are handed on though their names look like credentials.
    fn env_pass(&self) -> Vec<String>;

    /// Confinement of a child that may write these folders and not read those that are `hidden`.
    fn confined(&self, writable: Vec<PathBuf>, hidden: Vec<PathBuf>) -> Confinement;

    /// The sandbox of a server that may write these folders but for those that are `protected`, and
    /// read `further` places, each with its reason; `joins` is the network that it shares with
    /// others of its session.
    ///
    /// # Errors
    /// Why it cannot be held.
    fn server(
        &self,
        writable: Vec<PathBuf>,
        protected: Vec<PathBuf>,
        further: Vec<(PathBuf, String)>,
        network: Network,
        joins: Option<Arc<NetworkNamespace>>,
    ) -> Result<Sandbox, String>;
}
