//! Commands that run in a container or on another machine: their words decide, for `explain`, for a
//! line of `haft batch` and for a client.

use serde_json::json;

use crate::{client::Client, support::Haft};

const RULES: &str = r#"
[tools.permissions]
bash = [
    { pattern = "drop-it *", action = "deny" },
    { pattern = "git push*", action = "ask" },
    { pattern = "{docker,podman,kubectl,ssh} *", action = "allow" },
    { pattern = "late *", action = "deny" },
]
"#;

/// Lines, the verdict about each, and what a person is told who is asked.
const LINES: [(&str, &str, &str); 16] = [
    ("docker exec web drop-it x", "deny", ""),
    ("docker exec -it -u 0 web sh -c 'true; drop-it x'", "deny", ""),
    ("docker run --rm -v a:/a node drop-it x", "deny", ""),
    ("ssh -p 2 host drop-it x", "deny", ""),
    ("ssh host 'cd /srv && drop-it x'", "deny", ""),
    ("kubectl exec -n prod pod/web -- drop-it x", "deny", ""),
    ("docker exec web rm -rf /data", "ask", "rm -rf /data"),
    ("ssh host 'rm -rf /data'", "ask", "rm -rf /data"),
    ("kubectl exec web -- sh -c 'rm -rf /data'", "ask", "rm -rf /data"),
    ("docker exec web git push", "ask", "git push"),
    ("ssh host git push -f", "ask", "git push"),
    ("kubectl exec web -- git push", "ask", "git push"),
    ("ssh host \"$(cat line)\"", "ask", "known only then"),
    ("docker exec web cat /etc/hosts", "allow", ""),
    ("kubectl exec web -- late x", "ask", ""),
    ("ssh -p 9 host uptime", "allow", ""),
];

#[test]
fn what_runs_elsewhere_is_judged_by_its_words() {
    let haft = Haft::configured(RULES);
    for (line, verdict, told) in LINES {
        let explained = haft.run(&["explain", "--json", "bash", &json!({ "command": line }).to_string()]).json();
        assert_eq!(explained["verdict"], verdict, "{line}: {explained}");
        assert!(explained.to_string().contains(told), "{line}: {explained}");
    }
}

#[test]
fn what_runs_elsewhere_is_asked_about_and_refused_over_mcp() {
    let haft = Haft::configured(RULES);
    let mut client = Client::connect_answering(&haft, Some("no"));
    // What is allowed would be run.
    for (line, verdict, told) in LINES.into_iter().filter(|(_, verdict, _)| *verdict != "allow") {
        let code = client.call("bash", &json!({ "command": line }))["_meta"]["haft/code"].clone();
        let asked = client.asked.drain(..).collect::<String>();
        if verdict == "deny" {
            assert_eq!((&code, asked.as_str()), (&json!("permission_denied"), ""), "{line}");
        } else {
            assert_eq!(code, "declined", "{line}");
            assert!(asked.contains(told), "{line}: {asked}");
        }
    }
}
