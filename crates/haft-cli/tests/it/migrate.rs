//! `haft config migrate` on a file of the user's.

use std::os::unix::fs::PermissionsExt;

use crate::support::Haft;

const OLD: &str = "# mine\n[agent]\nmax_tool_retries = 4 # four\nmood = \"good\"\n\n[tools.filters.test]\nmax_failures = 3\n\n[tools.shell]\nblocked_commands = [\"nc\"]\n";

fn file(haft: &Haft, name: &str) -> Option<String> {
    std::fs::read_to_string(haft.home.path(".config/haft").join(name)).ok()
}

#[test]
fn a_rehearsal_shows_everything_and_changes_nothing() {
    let haft = Haft::configured(OLD);
    let shown = haft.run(&["config", "migrate", "--dry-run"]);
    assert_eq!(shown.code, 0, "{shown:?}");
    assert!(shown.out.contains("-max_tool_retries = 4 # four\n"), "{shown:?}");
    assert!(shown.out.contains("+max_attempts = 4 # four\n") && shown.out.contains("pattern = \"nc *\""), "{shown:?}");
    assert!(shown.err.contains("`agent.mood` is not a key of this version"), "{shown:?}");
    assert_eq!(haft.run(&["--migrate-config", "--dry-run"]).out, shown.out);
    assert_eq!(file(&haft, "config.toml").as_deref(), Some(OLD));
    assert_eq!(file(&haft, "filters.toml"), None);
}

#[test]
fn what_is_written_is_todays_form_and_the_text_as_it_was_is_kept() {
    let old = OLD.replace("mood = \"good\"\n", "");
    let haft = Haft::configured(&old);
    let config = haft.home.path(".config/haft/config.toml");
    std::fs::set_permissions(&config, std::fs::Permissions::from_mode(0o640)).expect("chmod");
    haft.home.file(".config/haft/config.toml.bak-1", "earlier");
    let ran = haft.run(&["--migrate-config"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(file(&haft, "config.toml.bak-2").as_deref(), Some(old.as_str()));
    assert_eq!(file(&haft, "config.toml.bak-1").as_deref(), Some("earlier"));
    let new = file(&haft, "config.toml").expect("it is there");
    assert!(new.starts_with("# mine\n") && !new.contains("blocked_commands") && !new.contains("max_failures"), "{new}");
    assert_eq!(config.metadata().expect("it is there").permissions().mode() & 0o777, 0o640);
    assert!(file(&haft, "filters.toml").expect("rules were written").contains("max_failures = 3"));
    let checked = haft.run(&["config", "check"]);
    assert!(checked.out.ends_with("ok, 0 warnings\n"), "{checked:?}");
    assert_eq!(haft.run(&["explain", "bash", "command=nc -l"]).code, 4);
    // Again there is nothing to do.
    let again = haft.run(&["config", "migrate"]);
    assert!(again.out.is_empty() && again.err.contains("is up to date"), "{again:?}");
    assert_eq!(file(&haft, "config.toml.bak-3"), None);
}

#[test]
fn an_older_file_works_and_says_so_once() {
    let haft = Haft::configured("[agent]\nmax_tool_retries = 4\n");
    let shown = haft.run(&["config", "show"]);
    assert!(shown.out.contains("tools.retry.max_attempts = 4"), "{shown:?}");
    assert_eq!(shown.err.matches("has an older format").count(), 1, "{shown:?}");
    assert!(haft.run(&["--quiet", "config", "show"]).err.is_empty());
}

#[test]
fn there_has_to_be_something_to_migrate() {
    let haft = Haft::new();
    assert_eq!(haft.run(&["config", "migrate"]).code, 2);
    assert_eq!(haft.run(&["--migrate-config", "layers"]).code, 2);
    assert_eq!(haft.run(&["--quiet"]).code, 2);
    let broken = Haft::configured("a = \n").run(&["config", "migrate"]);
    assert!(broken.code == 2 && broken.err.contains("line 1"), "{broken:?}");
}
