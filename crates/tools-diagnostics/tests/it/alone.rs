//! The tool as a library has it that composes nothing around it: what a build script of a stranger
//! reaches.

use std::fs;
use std::net::TcpListener;
use std::path::Path;

use serde_json::json;
use tools_core::{Approval, CallContext, CallerId, Shared, SystemClock, ToolCall, ToolExecutor as _};
use tools_diagnostics::{Diagnostics, DiagnosticsConfig};
use tools_testkit::{installed, namespaces};

/// A build script that tells what it could do, as warnings.
fn script(home: &Path, port: u16) -> String {
    let diary = home.join("diary").display().to_string();
    format!(
        r#"fn main() {{
    let tell = |what: &str, could: bool| println!("cargo:warning={{what}}: {{could}}");
    tell("plain", std::fs::read_to_string("plain").is_ok());
    tell("env", std::fs::read_to_string(".env").is_ok_and(|text| text.contains("KEY")));
    tell("home", std::fs::read_to_string({diary:?}).is_ok());
    tell("write", std::fs::write({diary:?}, "x").is_ok());
    tell("net", std::net::TcpStream::connect(("127.0.0.1", {port})).is_ok());
}}
"#
    )
}

#[tokio::test]
async fn a_build_script_reads_no_credentials_sees_no_home_and_reaches_nothing() {
    if !installed(&["cargo"]) || !namespaces() {
        return;
    }
    let Some(home) = tools_sandbox::home().and_then(|home| home.canonicalize().ok()) else {
        eprintln!("skipped: there is no home");
        return;
    };
    let Ok(place) = tempfile::Builder::new().prefix("notes-").tempdir_in(&home) else {
        eprintln!("skipped: the home cannot be written");
        return;
    };
    fs::write(place.path().join("diary"), "in-the-diary\n").unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let work = tempfile::tempdir_in("/var/tmp").unwrap();
    let file = |name: &str, text: &str| fs::write(work.path().join(name), text).unwrap();
    file("Cargo.toml", "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n");
    fs::create_dir(work.path().join("src")).unwrap();
    file("src/lib.rs", "");
    file("plain", "in-plain\n");
    file(".env", "KEY=in-the-file\n");
    file("build.rs", &script(place.path(), listener.local_addr().unwrap().port()));

    let policy = Shared::new(DiagnosticsConfig::default().compile().unwrap());
    let tool = Diagnostics::new(policy).into_executor();
    let call = ToolCall::new("diagnostics", json!({})).unwrap();
    let approval = Approval::grant(&call, CallerId::generate(), &SystemClock);
    let output = tool.execute_tool_call_confirmed(&call, &approval, &CallContext::new(work.path())).await.unwrap();
    let told = output.unwrap().summary;
    for (what, could) in [("plain", true), ("env", false), ("home", false), ("write", false), ("net", false)] {
        assert!(told.contains(&format!("{what}: {could}")), "{what}: {told}");
    }
    assert_eq!(fs::read_to_string(place.path().join("diary")).unwrap(), "in-the-diary\n");
}
