//! The effective section on credentials.

use tools_secrets::SecurityConfig;

use super::HaftConfig;

impl HaftConfig {
    /// How credentials are found and replaced.
    pub(crate) fn security(&self) -> SecurityConfig {
        let _ = self;
        #[cfg(feature = "filter")]
        return self.tools.filters.security.clone();
        #[cfg(not(feature = "filter"))]
        SecurityConfig::default()
    }
}
