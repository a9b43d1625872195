//! The name of a stored output: an opaque `overflow:<uuid>`, which does not reveal where it is
//! stored.

use std::{fmt, str::FromStr};

use thiserror::Error;
use uuid::Uuid;

const SCHEME: &str = "overflow:";

/// The name of a stored output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reference(Uuid);

/// Not a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("expected `overflow:` and a UUID, or the UUID alone")]
pub struct InvalidReference;

impl Reference {
    /// A new name that cannot be guessed.
    pub fn generate() -> Self {
        Self(Uuid::new_v4())
    }

    /// The UUID.
    pub fn uuid(self) -> Uuid {
        self.0
    }
}

impl FromStr for Reference {
    type Err = InvalidReference;

    fn from_str(text: &str) -> Result<Self, InvalidReference> {
        let text = text.trim();
        let uuid = text.strip_prefix(SCHEME).unwrap_or(text);
        // Only the usual spelling, 32 digits in five groups. Other spellings would give an entry
        // several names.
        if uuid.len() != 36 {
            return Err(InvalidReference);
        }
        Uuid::try_parse(uuid).map(Self).map_err(|_| InvalidReference)
    }
}

impl From<Uuid> for Reference {
    fn from(uuid: Uuid) -> Self {
        Self(uuid)
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SCHEME}{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_the_uuid_with_or_without_its_scheme() {
        let reference = Reference::generate();
        assert_eq!(reference.to_string().parse(), Ok(reference));
        assert_eq!(reference.uuid().to_string().parse(), Ok(reference));
        assert_eq!(format!(" {reference}\n").to_uppercase().replace("OVERFLOW", "overflow").parse(), Ok(reference));
        let simple = reference.uuid().simple().to_string();
        let braced = format!("{{{}}}", reference.uuid());
        for bad in
            ["", "overflow:", "overflow:1", &simple, &braced, "../../etc/passwd", "' OR 1=1 --", "overflow:overflow:"]
        {
            assert_eq!(bad.parse::<Reference>(), Err(InvalidReference), "{bad}");
        }
    }
}
