//! Definitions that come from elsewhere: repaired when they are taken in, and what calls are held
//! to.

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
