//! A glob, a newline, and any text as a path: as a rule that denies files, and as one that allows
//! them.

use std::path::{Component, Path, PathBuf};

use tools_sandbox::ReadRules;

pub(crate) fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (glob, path) = text.split_once('\n').unwrap_or((text, "src/main.rs"));
    let globs = [glob.to_owned()];
    // Rules are applied to canonical paths.
    let path: PathBuf = Path::new("/w").components().chain(Path::new(path).components().filter(is_name)).collect();
    let compile = |deny: &[String], allow: &[String]| {
        ReadRules::compile(Some(deny), allow, Path::new("/w"), Some(Path::new("/home/me")))
    };
    if let Ok(rules) = compile(&globs, &[])
        && rules.denies(&path)
    {
        assert!(rules.scope(&path).is_sealed(), "what a rule closes is closed with all below");
        assert!(rules.denies(&path.join("below")), "a closed folder closes what is in it");
    }
    if let Ok(rules) = compile(&[], &globs)
        && !rules.denies(&path)
    {
        assert!(!rules.denies(&path.join("below")), "an open folder opens what is in it");
    }
}

fn is_name(component: &Component<'_>) -> bool {
    matches!(component, Component::Normal(_))
}
