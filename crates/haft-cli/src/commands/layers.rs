//! `haft layers`: prints the order of the layers and the reason for each position.

use haft::layers;
use serde_json::json;

use crate::{args::CommonArgs, exit::Exit, output};

/// Prints the layers, outermost first.
pub(crate) fn run(common: &CommonArgs) -> Exit {
    if common.json {
        let rows: Vec<_> = layers()
            .iter()
            .map(|row| json!({"name": row.name, "crate": row.owner, "refuses_with": row.refuses_with, "why": row.why}))
            .collect();
        output::json(&rows);
    } else {
        for (number, row) in layers().iter().enumerate() {
            output::line(&format!("{:>2}  {:<12} {:<14} {}", number + 1, row.name, row.owner, row.why));
        }
        output::line(" –  executor     (composite)    blocklist and sandbox again, at the moment of use");
    }
    Exit::Ok
}
