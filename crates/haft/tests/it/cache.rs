//! Results that are served again, against the same calls made anew: after any change from outside,
//! of which nobody told us, both say the same.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::time::Duration;

use haft::Toolbox;
use haft::core::{NobodyToAsk, keys};
use serde_json::{Value, json};
use tools_testkit::Workspace;

use crate::call;

/// The same folder behind a cache and without one.
struct Both {
    workspace: Workspace,
    cached: Toolbox,
    plain: Toolbox,
}

impl Both {
    fn new() -> Self {
        let workspace = Workspace::new();
        for (path, text) in [
            ("work/.gitignore", "*.log\n"),
            ("work/src/one.rs", "fn one() {}\n"),
            ("work/src/deep/two.rs", "fn two() {}\n"),
            ("work/src/deep/noise.log", "fn noise() {}\n"),
            ("work/docs/page.md", "fn in prose\n"),
            ("elsewhere/src/one.rs", "fn other() {}\n"),
        ] {
            workspace.file(path, text);
        }
        let with = |cache: &str| crate::toolbox(&workspace, &format!("[tools.result_cache]\nenabled = {cache}\n"));
        let (cached, plain) = (with("true"), with("false"));
        Self { workspace, cached, plain }
    }

    async fn call(toolbox: &Toolbox, (tool, params): &(&'static str, Value)) -> (Result<String, String>, bool) {
        let recorded = toolbox.call(call(tool, params.clone()), &toolbox.context(), &NobodyToAsk).await;
        let is_hit = recorded.journal.value(keys::CACHE).is_some_and(|value| value == "hit");
        (recorded.outcome.map(|output| output.summary).map_err(|error| error.to_string()), is_hit)
    }

    /// Calls until it is served from the cache: what changed a moment ago is not kept.
    async fn until_hit(&self, what: &(&'static str, Value)) {
        for _ in 0..400 {
            if Self::call(&self.cached, what).await.1 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        panic!("never served from the cache: {what:?}");
    }

    async fn check(&self, calls: &[(&'static str, Value)], change: impl Fn(&Path), name: &str) {
        for what in calls {
            self.until_hit(what).await;
        }
        change(self.workspace.root());
        for what in calls {
            let (now, _) = Self::call(&self.cached, what).await;
            assert_eq!(now, Self::call(&self.plain, what).await.0, "{name}: {what:?}");
        }
    }
}

fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("read", json!({"path": "src/one.rs"})),
        ("grep", json!({"pattern": "fn"})),
        ("grep", json!({"pattern": "fn", "path": "src/deep"})),
        ("grep", json!({"pattern": "fn", "path": "src/one.rs", "mode": "counts"})),
        ("grep", json!({"pattern": "nothing at all"})),
        ("find_path", json!({"pattern": "**/*.rs"})),
        ("find_path", json!({"pattern": "src/deep/*"})),
        ("find_path", json!({"pattern": "*.rs", "path": "src"})),
        ("find_path", json!({"pattern": "src/one.rs"})),
        ("list_directory", json!({"path": "src"})),
        ("list_directory", json!({"path": "src/deep"})),
    ]
}

/// Writes a text of the same length and sets the times back: what a program can do to hide a
/// change.
fn replace_unseen(path: &Path, text: &str) {
    let before = fs::metadata(path).unwrap();
    assert_eq!(before.len(), text.len() as u64);
    fs::write(path, text).unwrap();
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_times(fs::FileTimes::new().set_modified(before.modified().unwrap())).unwrap();
}

/// What somebody does in the folder.
type Change = &'static dyn Fn(&Path);

#[tokio::test]
async fn no_change_from_outside_is_missed() {
    let changes: &[(&str, Change)] = &[
        ("a new file", &|at| fs::write(at.join("work/src/deep/new.rs"), "fn new() {}\n").unwrap()),
        ("a changed file", &|at| fs::write(at.join("work/src/one.rs"), "fn changed() {}\n").unwrap()),
        ("an unseen change", &|at| replace_unseen(&at.join("work/src/one.rs"), "fn eno() {}\n")),
        ("a removed file", &|at| fs::remove_file(at.join("work/src/one.rs")).unwrap()),
        ("a renamed file", &|at| {
            fs::rename(at.join("work/src/one.rs"), at.join("work/src/deep/moved.rs")).unwrap();
        }),
        ("a swapped file", &|at| fs::rename(at.join("elsewhere/src/one.rs"), at.join("work/src/one.rs")).unwrap()),
        ("a link in a file's place", &|at| {
            fs::remove_file(at.join("work/src/one.rs")).unwrap();
            symlink("deep/two.rs", at.join("work/src/one.rs")).unwrap();
        }),
        ("a folder in a file's place", &|at| {
            fs::remove_file(at.join("work/src/one.rs")).unwrap();
            fs::create_dir(at.join("work/src/one.rs")).unwrap();
        }),
        ("another folder above", &|at| {
            fs::rename(at.join("work/src"), at.join("aside")).unwrap();
            fs::rename(at.join("elsewhere/src"), at.join("work/src")).unwrap();
        }),
        ("a link in a folder's place", &|at| {
            fs::rename(at.join("work/src/deep"), at.join("work/moved")).unwrap();
            symlink("../docs", at.join("work/src/deep")).unwrap();
        }),
        ("a removed tree", &|at| fs::remove_dir_all(at.join("work/src")).unwrap()),
        ("an emptied ignore file", &|at| fs::write(at.join("work/.gitignore"), "").unwrap()),
        ("a removed ignore file", &|at| fs::remove_file(at.join("work/.gitignore")).unwrap()),
        ("an ignore file above", &|at| fs::write(at.join("work/src/.ignore"), "two.rs\n").unwrap()),
        ("an ignore file unseen", &|at| replace_unseen(&at.join("work/.gitignore"), "*.rs \n")),
        ("a repository's own rules", &|at| {
            fs::create_dir_all(at.join("work/.git/info")).unwrap();
            fs::write(at.join("work/.git/info/exclude"), "one.rs\n").unwrap();
        }),
        ("a repository inside", &|at| fs::create_dir(at.join("work/src/.git")).unwrap()),
        ("other rights", &|at| {
            fs::set_permissions(at.join("work/src/one.rs"), fs::Permissions::from_mode(0o000)).unwrap();
        }),
        ("nothing", &|_| {}),
    ];
    for (name, change) in changes {
        Both::new().check(&calls(), change, name).await;
    }
}

/// Where the repository's own folder is a link, nothing is kept that might depend on where it
/// leads.
#[tokio::test]
async fn links_to_a_repositorys_rules_are_followed_anew() {
    let changes: &[(&str, Change, Change)] = &[
        (
            "a link on the way to another",
            &|at| {
                fs::create_dir_all(at.join("work/other/g1/info")).unwrap();
                fs::create_dir_all(at.join("work/other/g2/info")).unwrap();
                fs::write(at.join("work/other/g2/info/exclude"), "one.rs\n").unwrap();
                symlink("g1", at.join("work/other/link")).unwrap();
                symlink("other/link", at.join("work/.git")).unwrap();
            },
            &|at| {
                fs::remove_file(at.join("work/other/link")).unwrap();
                symlink("g2", at.join("work/other/link")).unwrap();
            },
        ),
        ("a link to what is not there yet", &|at| symlink("other/later", at.join("work/.git")).unwrap(), &|at| {
            fs::create_dir_all(at.join("work/other/later/info")).unwrap();
            fs::write(at.join("work/other/later/info/exclude"), "one.rs\n").unwrap();
        }),
        (
            "a link further down",
            &|at| {
                fs::create_dir_all(at.join("work/.git")).unwrap();
                symlink("../other/later", at.join("work/.git/info")).unwrap();
            },
            &|at| {
                fs::create_dir_all(at.join("work/other/later")).unwrap();
                fs::write(at.join("work/other/later/exclude"), "one.rs\n").unwrap();
            },
        ),
    ];
    let grep = ("grep", json!({"pattern": "fn", "path": "src"}));
    for (name, before, change) in changes {
        let both = Both::new();
        both.workspace.dir("work/other");
        before(both.workspace.root());
        // Long enough for a result to be kept, if it were.
        for _ in 0..40 {
            let _ = Both::call(&both.cached, &grep).await;
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let (earlier, _) = Both::call(&both.plain, &grep).await;
        change(both.workspace.root());
        let (now, _) = Both::call(&both.plain, &grep).await;
        assert_ne!(earlier, now, "{name}");
        assert_eq!(Both::call(&both.cached, &grep).await.0, now, "{name}");
    }
}

#[tokio::test]
async fn many_changes_one_after_another_are_all_seen() {
    let both = Both::new();
    for number in 0..8 {
        let file = format!("work/src/deep/{}.rs", number % 3);
        let change = |at: &Path| match number % 4 {
            3 => fs::remove_file(at.join("work/src/deep/0.rs")).unwrap(),
            _ => fs::write(at.join(&file), format!("fn number_{number}() {{}}\n")).unwrap(),
        };
        both.check(&calls(), change, &format!("change {number}")).await;
    }
}

/// The change comes right behind the answer, with nothing in between.
#[tokio::test]
async fn a_change_right_behind_the_answer_is_seen() {
    let both = Both::new();
    let grep = ("grep", json!({"pattern": "number_", "path": "src"}));
    let find = ("find_path", json!({"pattern": "**/number_*"}));
    let file = both.workspace.path("work/src/one.rs");
    for number in 0..60 {
        let _ = (Both::call(&both.cached, &grep).await, Both::call(&both.cached, &find).await);
        fs::write(&file, format!("number_{number}")).unwrap();
        let name = both.workspace.path(format!("work/src/number_{number}"));
        fs::write(&name, "").unwrap();
        let (found, _) = Both::call(&both.cached, &grep).await;
        assert!(found.is_ok_and(|text| text.starts_with(&format!("src/one.rs:1:number_{number}\n"))));
        let (found, _) = Both::call(&both.cached, &find).await;
        assert!(found.is_ok_and(|text| text.starts_with(&format!("src/number_{number}\n"))));
        fs::remove_file(&name).unwrap();
    }
}

#[tokio::test]
async fn what_the_session_itself_changes_is_seen_at_once() {
    let both = Both::new();
    for what in calls() {
        both.until_hit(&what).await;
    }
    let write = ("write", json!({"path": "src/deep/new.rs", "content": "fn written() {}\n"}));
    let allowed = both.cached.stack().run_approved(call(write.0, write.1), &both.cached.context(), &NobodyToAsk).await;
    assert!(allowed.outcome.is_ok(), "{:?}", allowed.outcome);
    for what in calls() {
        let (now, is_hit) = Both::call(&both.cached, &what).await;
        assert_eq!((now, is_hit), (Both::call(&both.plain, &what).await.0, false), "{what:?}");
    }
    both.cached.parts().cache.results().clear();
    let metrics = both.cached.parts().cache.results().metrics();
    assert_eq!((metrics.hits, metrics.misses, metrics.entries, metrics.bytes), (0, 0, 0, 0));
}
