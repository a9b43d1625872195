//! All resources that a session can list and read.

use std::sync::Arc;

use haft::Toolbox;
use tools_mcp::{ResourceScheme, ResourceSchemes};

/// Parameters that URIs may have.
const PARAMETERS: &[&str] = &["offset", "limit", "byte", "after"];

/// The resources of a toolbox; those that it does not store or record are left out.
pub(crate) fn of_toolbox(toolbox: &Toolbox) -> ResourceSchemes {
    let mut schemes: Vec<Box<dyn ResourceScheme>> = Vec::new();
    if let Some(record) = &toolbox.parts().record {
        schemes.push(Box::new(super::record::SessionRecord(Arc::clone(&record.store))));
    }
    if let Some(archive) = toolbox.parts().overflow.archive() {
        schemes.push(Box::new(super::output::StoredOutput(archive.clone())));
    }
    ResourceSchemes::new(schemes, PARAMETERS)
}
