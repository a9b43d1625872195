//! Digest that identifies a configuration in the record and in stored tasks.

use super::HaftConfig;

/// Digest of the sections by which calls are judged: SHA-256 in hexadecimal. The order of keys and
/// tables in the text does not matter.
pub fn policy_digest(config: &HaftConfig) -> String {
    // Every map in it is sorted, so equal sections serialize to equal bytes.
    tools_core::sha256_hex(&serde_json::to_vec(&config.tools).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::LoadedConfig;

    #[test]
    fn the_order_of_a_text_does_not_matter() {
        let digest = |text: &str| policy_digest(&LoadedConfig::parse(text, &|_| None).unwrap().config);
        let rules = |name: u32| format!("[[tools.permissions.tool{name}]]\npattern = \"a\"\naction = \"deny\"\n");
        let mut rules: Vec<String> = (0..50).map(rules).collect();
        let (all, fewer) = (digest(&rules.concat()), digest(&rules[1..].concat()));
        rules.reverse();
        assert_eq!(all, digest(&rules.concat()));
        assert_ne!(all, fewer);
    }
}
