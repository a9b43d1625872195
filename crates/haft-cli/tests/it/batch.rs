//! `haft batch`: JSON lines in, JSON lines out, in the same order.

use serde_json::{Value, json};

use crate::support::Haft;

#[test]
fn every_line_is_answered_in_order_and_a_bad_one_stops_nothing() {
    let haft = Haft::new();
    haft.workspace.file("a.txt", "hello\n");
    let mut input = Vec::new();
    input.extend(b"{\"id\":\"1\",\"tool\":\"read\",\"params\":{\"path\":\"a.txt\"}}\n");
    input.extend(b"not json\n\n");
    input.extend(b"\xff\xfe\n");
    input.extend(b"{\"id\":\"2\",\"tool\":\"bash\",\"params\":{\"command\":\"echo hi\"},\"aprove\":true}\n");
    input.extend(b"{\"id\":\"3\",\"tool\":\"bash\",\"params\":{\"command\":\"echo >made\"}}\n");
    input
        .extend(b"{\"id\":\"4\",\"tool\":\"bash\",\"params\":{\"command\":\"echo >made; exit 7\"},\"approve\":true}\n");
    let ran = haft.run_with_input(&["batch"], &input);
    let lines = ran.rows();
    let shown: Vec<Value> = lines.iter().map(|line| json!([line["id"], line["ok"], line["error"]["code"]])).collect();
    assert_eq!(
        shown,
        [
            json!(["1", true, null]),
            json!([null, false, "bad_line"]),
            json!([null, false, "bad_line"]),
            json!(["2", false, "bad_line"]),
            json!(["3", false, "nobody_to_ask"]),
            json!(["4", true, null]),
        ]
    );
    assert_eq!(lines[5]["raw_response"]["exit_code"], 7);
    assert_eq!(ran.code, 1);
}
