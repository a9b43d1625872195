//! Each tool as an executor.

use tools_core::{DynExecutor, Typed};

use super::{memory_save::MemorySave, memory_search::MemorySearch, shared::MemoryTools};

impl MemoryTools {
    /// Each as an executor.
    pub fn into_executors(self) -> Vec<DynExecutor> {
        vec![DynExecutor::new(Typed::new(MemorySearch(self.clone()))), DynExecutor::new(Typed::new(MemorySave(self)))]
    }
}
