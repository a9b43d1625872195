//! Confinement of the programs that tools start beside commands: the interface between their crates
//! and the owner of command confinement.

use std::{fmt, path::PathBuf, sync::Arc};

use super::{Confinement, MaskRules, Network, NetworkNamespace, Sandbox};

/// Confines checkers, language servers and MCP servers like commands. Called before each of them
/// starts.
pub trait ChildConfinement: fmt::Debug + Send + Sync {
    /// The folders that commands may write.
    fn writable(&self) -> Vec<PathBuf>;

    /// The masks of files that commands cannot read.
    fn hidden(&self) -> &MaskRules;

    /// Environment variables that are passed although their names look like credentials.
    fn env_pass(&self) -> Vec<String>;

    /// Confinement of a child that may write the `writable` folders and cannot read `hidden` ones.
    fn confined(&self, writable: Vec<PathBuf>, hidden: Vec<PathBuf>) -> Confinement;

    /// The sandbox of a server that may write the `writable` folders except `protected` ones, and
    /// read `further` places, each with its reason; `joins` is the network that it shares with
    /// others of its session.
    ///
    /// # Errors
    /// The reason why it cannot be confined.
    fn server(
        &self,
        writable: Vec<PathBuf>,
        protected: Vec<PathBuf>,
        further: Vec<(PathBuf, String)>,
        network: Network,
        joins: Option<Arc<NetworkNamespace>>,
    ) -> Result<Sandbox, String>;
}
