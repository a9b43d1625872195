//! Computes the effective trust of a call and its effect on the verdict. Pure.

use tools_core::{CallerId, ToolDef, TrustLevel, Verdict};

use super::config::TrustPolicy;

/// The effective trust of a call: the lowest of all levels that apply.
pub fn effective(policy: &TrustPolicy, context: TrustLevel, caller: Option<&CallerId>, tool: &str) -> TrustLevel {
    let config = &policy.config;
    let of_tool = config.tools.get(tool).copied();
    let of_caller = caller.filter(|_| !config.callers.is_empty()).into_iter().flat_map(|caller| {
        let lineage =
            std::iter::successors(Some(caller.as_str()), |name| name.rsplit_once('/').map(|(above, _)| above));
        lineage.filter_map(|name| config.callers.get(name).copied())
    });
    of_caller.chain(of_tool).fold(context.min(config.level), TrustLevel::min)
}

/// The least strict verdict that a level permits, whatever the rules say.
pub fn floor(level: TrustLevel, definition: &ToolDef) -> Verdict {
    let traits = definition.trusted_traits();
    let only_reads_here = traits.read_only && !traits.open_world;
    match (level, only_reads_here) {
        (TrustLevel::Trusted, _) | (TrustLevel::Provisional, true) => Verdict::Allow,
        (TrustLevel::Provisional, false) | (TrustLevel::Untrusted, true) => Verdict::Ask,
        (TrustLevel::Untrusted, false) => Verdict::Deny,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trust::TrustConfig;

    #[test]
    fn the_lowest_level_counts() {
        use TrustLevel::{Provisional, Trusted, Untrusted};
        let config = TrustConfig {
            level: Trusted,
            callers: [("web".to_owned(), Provisional), ("web/sub".to_owned(), Untrusted)].into(),
            tools: [("bash".to_owned(), Provisional)].into(),
        };
        let policy = config.compile().unwrap();
        let check = |context, caller: Option<&str>, tool: &str, expected| {
            let caller = caller.map(|caller| CallerId::parse(caller).unwrap());
            assert_eq!(effective(&policy, context, caller.as_ref(), tool), expected, "{caller:?} {tool}");
        };
        check(Trusted, None, "read", Trusted);
        check(Trusted, None, "bash", Provisional);
        check(Untrusted, None, "bash", Untrusted);
        check(Trusted, Some("web"), "read", Provisional);
        check(Trusted, Some("web/other/x"), "read", Provisional);
        check(Trusted, Some("web/sub/x"), "read", Untrusted);
        check(Trusted, Some("website"), "read", Trusted);
        let low = TrustConfig { level: Provisional, ..TrustConfig::default() }.compile().unwrap();
        assert_eq!(effective(&low, Trusted, None, "read"), Provisional);
        assert_eq!(effective(&low, Untrusted, None, "read"), Untrusted);
    }
}
