//! Any text as a configuration: it is loaded, or refused with reasons, and a second migration
//! changes nothing.

use haft::config::{LoadedConfig, migrate};

pub(crate) fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let loaded = LoadedConfig::parse(text, &|_| None);
    match migrate(text) {
        Ok(migrated) => {
            let again = migrate(&migrated.text).expect("what was migrated can be read");
            assert_eq!(again.text, migrated.text, "a second migration changes nothing");
            if loaded.is_ok() {
                let after = LoadedConfig::parse(&migrated.text, &|_| None);
                assert!(after.is_ok(), "what can be loaded can be loaded afterwards: {:?}", after.err());
            }
        }
        Err(_) => assert!(loaded.is_err(), "what is no TOML is not loaded"),
    }
}
