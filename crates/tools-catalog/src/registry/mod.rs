//! Definitions from other sources: repaired when they are added, and used to check calls.

mod check;
mod checked_executor;
mod fault;
mod references;
mod repair;
mod tools;

pub use check::ParameterCheck;
pub use checked_executor::CheckedExecutor;
pub use fault::CatalogFault;
pub use tools::ToolRegistry;
