//! The page of the record, looked at with a browser where there is one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{Haft, rule};

/// What a command prints that wants to be more than text.
const HOSTILE: &str =
    "</script></pre><script>document.title='pwned'</script><img src=x onerror=\"document.title='pwned'\">";

fn reported() -> (Haft, PathBuf) {
    let haft = Haft::configured(&rule("bash", "rm *", "deny"));
    haft.workspace.file("a.rs", "fn main() {}\n");
    haft.workspace.file("hostile.txt", format!("{HOSTILE}\n\u{202e}gnirts\u{1b}[2J\n"));
    let edit = format!(r"fn main() {{ /* {HOSTILE} */ }}");
    let calls = [
        serde_json::json!({"tool": "read", "params": {"path": "hostile.txt"}}),
        serde_json::json!({"tool": "bash", "params": {"command": "cat hostile.txt; exit 3"}, "approve": true}),
        serde_json::json!({"tool": "edit", "approve": true, "params":
            {"path": "a.rs", "old_string": "fn main() {}", "new_string": edit}}),
        serde_json::json!({"tool": "bash", "params": {"command": format!("rm -rf '{HOSTILE}'")}}),
        serde_json::json!({"tool": "bash", "params": {"command": "git push"}}),
        serde_json::json!({"tool": format!("read{HOSTILE}"), "params": {}}),
    ];
    let input = calls.map(|call| call.to_string()).join("\n");
    haft.run_with_input(&["batch"], input.as_bytes());
    let out = haft.workspace.path("page.html");
    let ran = haft.run(&["audit", "report", "--out", "page.html"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(Path::new(ran.out.trim_end()), out);
    (haft, out)
}

#[test]
fn the_page_shows_every_call_and_nothing_of_it_is_markup() {
    let (haft, file) = reported();
    let page = fs::read_to_string(file).unwrap();
    let recorded = fs::read_to_string(haft.record()).unwrap().lines().count();
    assert_eq!(page.matches("<article ").count(), recorded);
    assert_eq!(page.matches("class=\"bar ").count(), recorded);
    assert_eq!(page.matches("<script").count(), 1, "our own");
    for markup in ["<img", "<iframe", "<link", "http://", "https://", " onerror=\"", " style=\"", "\u{202e}", "\u{1b}"]
    {
        assert!(!page.contains(markup), "{markup}");
    }
    assert!(page.contains("&lt;/script&gt;&lt;/pre&gt;&lt;script&gt;"), "it is there as text");
    assert!(page.contains("U+202E") && page.contains("U+001B"), "what hides is shown");
    assert!(page.contains("<span class=\"minus\">-fn main() {}</span>"), "the diff is there");
    assert!(page.contains("chain unbroken"));
}

#[test]
fn the_page_can_be_had_of_one_session_of_the_last_calls_and_on_standard_output() {
    let haft = Haft::new();
    haft.workspace.file("a.txt", "x");
    for session in ["one", "two", "two"] {
        haft.run(&["call", "read", "path=a.txt", "--session", session]);
    }
    let articles = |arguments: &[&str]| {
        let ran = haft.run(&[&["audit", "report"], arguments].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.out.matches("<article ").count()
    };
    assert_eq!(articles(&[]), 3);
    assert_eq!(articles(&["--out", "-", "--session", "two"]), 2);
    assert_eq!(articles(&["--calls", "1"]), 1);
    let mut bytes = fs::read(haft.record()).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    let copy = haft.home.file("changed.jsonl", &bytes);
    let broken = haft.run(&["audit", "report", copy.to_str().unwrap()]);
    assert!(broken.out.contains("BROKEN at line 2"), "a page of a changed record says so");
    assert_eq!(haft.run(&["audit", "report", "absent.jsonl"]).code, 2);
}

/// The first browser of the Chromium family that is installed.
fn browser() -> Option<PathBuf> {
    tools_testkit::program(&["chromium", "chromium-browser", "google-chrome"])
}

/// What a browser makes of a page: its document after scripts ran, and what it said on the console.
fn viewed(browser: &Path, profile: &Path, page: &str, options: &[&str]) -> (String, Vec<String>) {
    let mut command = Command::new("timeout");
    command.args(["--kill-after=5", "90"]).arg(browser);
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]);
    command.args(["--enable-logging=stderr", "--window-size=1300,1500", "--hide-scrollbars"]);
    command.arg(format!("--user-data-dir={}", profile.display())).args(options).arg(page).stdin(Stdio::null());
    let output = command.output().expect("`timeout` starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let console = text(&output.stderr).lines().filter(|line| line.contains("CONSOLE")).map(str::to_owned).collect();
    (text(&output.stdout), console)
}

#[test]
fn a_browser_shows_the_page_and_runs_nothing_of_the_log() {
    let Some(browser) = browser() else {
        eprintln!("SKIPPED: no chromium is installed, the page was not looked at");
        return;
    };
    let (haft, file) = reported();
    let profile = haft.home.dir("profile");
    let address = format!("file://{}#c3", file.display());
    let (document, console) = viewed(&browser, &profile, &address, &["--dump-dom"]);
    assert_eq!(console, [] as [String; 0]);
    assert!(document.contains("<title>Haft: audit.jsonl</title>"), "nothing changed the title: {document}");
    assert!(!document.contains("<img"), "no element came from a tool");
    assert!(document.contains("class=\"bar allow chosen\""), "our own script ran");

    let picture = haft.home.path("page.png");
    let screenshot = format!("--screenshot={}", picture.display());
    let (_, console) = viewed(&browser, &profile, &address, &[&screenshot]);
    assert_eq!(console, [] as [String; 0]);
    let png = fs::read(picture).unwrap();
    assert!(png.starts_with(b"\x89PNG") && png.len() > 30_000, "a page with something on it: {} bytes", png.len());

    // That nothing ran is found out in a way that would have found it: the same page without its
    // protection.
    let page = fs::read_to_string(&file).unwrap();
    let bare = page.replace("Content-Security-Policy", "nothing").replace("&lt;", "<").replace("&gt;", ">");
    let bare = haft.workspace.file("bare.html", bare.replace("&#39;", "'").replace("&quot;", "\""));
    let (document, _) = viewed(&browser, &profile, &format!("file://{}", bare.display()), &["--dump-dom"]);
    assert!(document.contains("<title>pwned</title>"), "{document}");
    // And the policy alone holds where escaping would fail.
    let unescaped = page.replace("&lt;", "<").replace("&gt;", ">").replace("&#39;", "'").replace("&quot;", "\"");
    let unescaped = haft.workspace.file("unescaped.html", unescaped);
    let (document, console) = viewed(&browser, &profile, &format!("file://{}", unescaped.display()), &["--dump-dom"]);
    assert!(!document.contains("<title>pwned</title>"), "{document}");
    assert!(console.iter().any(|line| line.contains("Content Security Policy")), "{console:?}");
}
