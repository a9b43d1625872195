//! All that a session can list and read.

use tools_mcp::{ResourceScheme, ResourceSchemes};

use crate::Toolbox;

/// Parameters that URIs may have.
const PARAMETERS: &[&str] = &["offset", "limit", "byte", "after"];

/// The resources of a toolbox. What the toolbox does not store or record is not there.
pub(crate) fn of_toolbox(toolbox: &Toolbox) -> ResourceSchemes {
    let mut schemes: Vec<Box<dyn ResourceScheme>> = Vec::new();
    #[cfg(feature = "audit")]
    if let Some(record) = &toolbox.parts.record {
        schemes.push(Box::new(super::record::SessionRecord(record.place.clone())));
    }
    #[cfg(feature = "overflow")]
    if let Some(archive) = toolbox.parts.wiring.overflow.archive() {
        schemes.push(Box::new(super::output::StoredOutput(archive.clone())));
    }
    let _ = (toolbox, &mut schemes);
    ResourceSchemes::new(schemes, PARAMETERS)
}
