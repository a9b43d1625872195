//! What somebody runs a program for is no noise, however much its lines are alike.

use std::fmt::Write as _;

use tools_filter::{Exit, FilterPipeline};

fn filtered(command: &str, text: &str) -> String {
    FilterPipeline::builtin().filter(command, Exit::Code(0), text.as_bytes()).text
}

/// The text in which each number of the rows stands in the place of its `#`.
fn rows(line: &str, rows: &[&[&str]]) -> String {
    rows.iter().fold(String::new(), |mut text, numbers| {
        let mut parts = line.split('#');
        text.push_str(parts.next().unwrap_or_default());
        for (number, part) in numbers.iter().zip(parts) {
            _ = write!(text, "{number}{part}");
        }
        text + "\n"
    })
}

/// Nine lines or blocks, each with its number.
fn numbered(one: impl Fn(u32) -> String) -> String {
    (10..19).map(one).collect::<Vec<_>>().concat()
}

#[test]
fn each_line_that_tells_something_of_its_own_stands() {
    let table = [
        // What was measured.
        (
            "go test -bench . ./queue",
            rows(
                "BenchmarkPush-8 # # ns/op # B/op 1 allocs/op",
                &[
                    &["5000", "231.5", "16"],
                    &["5100", "240.1", "18"],
                    &["4900", "390.8", "16"],
                    &["5050", "233.0", "24"],
                ],
            ),
        ),
        (
            "cargo bench",
            "running 4 tests\n".to_owned()
                + &rows(
                    "test queue::push_# ... bench: # ns/iter (+/- #)",
                    &[&["1", "410", "12"], &["2", "820", "31"], &["3", "990", "8"], &["4", "1,204", "77"]],
                ),
        ),
        (
            "java -jar queue.jar",
            rows(
                "[2026-11-20T06:49:35.#+0000][info][gc] GC(#) Pause Full (System.gc()) #M->#M(128M) #ms",
                &[
                    &["212", "0", "31", "12", "8.120"],
                    &["340", "1", "52", "13", "9.004"],
                    &["377", "2", "55", "40", "22.310"],
                    &["501", "3", "90", "41", "12.700"],
                    &["612", "4", "99", "87", "31.552"],
                ],
            ),
        ),
        (
            "./train.sh",
            rows("the model on fold # has accuracy # and loss #", &[
                &["2", "0.91", "0.33"],
                &["5", "0.72", "0.41"],
                &["1", "0.88", "0.37"],
                &["4", "0.90", "0.31"],
                &["3", "0.69", "0.54"],
                &["6", "0.87", "0.35"],
            ]),
        ),
        // Changed lines of a diff, which nobody may write anew.
        (
            "./format --diff",
            "--- a/jobs.py\n+++ b/jobs.py\n@@ -1,1 +1,5 @@\n import sys\n+import array\n+import base64\n+import \
             calendar\n+import dis\n"
                .to_owned(),
        ),
        (
            "./format --diff",
            "--- a/jobs.py\n+++ b/jobs.py\n@@ -1,12 +0,0 @@\n".to_owned()
                + &rows(
                    "-def job_#(queue):\n-    limit of the job = #",
                    &[&["4", "17"], &["9", "3"], &["5", "80"], &["7", "31"], &["2", "6"], &["8", "44"]],
                ),
        ),
        // Members of objects that were asked for.
        (
            "./api orders",
            rows(
                "{\n\"order\": #,\n\"buyer\": \"buyer #\",\n\"paid\": null,\n\"weight\": #\n}",
                &[&["3", "3", "30"], &["5", "5", "40"], &["7", "7", "50"], &["9", "9", "60"], &["11", "11", "70"]],
            ),
        ),
        // Rows about parts of files.
        (
            "./complexity src",
            rows(
                "9 4 31 2 stage_#@#-#@src/plan.py",
                &[
                    &["1", "10", "18"],
                    &["2", "20", "28"],
                    &["3", "30", "38"],
                    &["4", "40", "48"],
                    &["5", "50", "58"],
                    &["6", "60", "68"],
                ],
            ),
        ),
        // What was changed before a step failed.
        (
            "./migrate.sh",
            "  Applying 0003_names ... OK\n  Applying 0004_ages ... OK\n  Applying 0005_index ... OK\n  \
             Applying 0006_owner ... FAILED\n"
                .to_owned(),
        ),
        (
            "./migrate.sh",
            "Applying 0003_names ... OK\nApplying 0004_ages ... OK\nApplying 0005_index ... OK\n\nTraceback (most recent \
             call last):\n  File \"m.py\", line 3, in <module>\nValueError: no owner\n"
                .to_owned(),
        ),
        // A check that answers no among those that answer yes.
        (
            "meson setup out",
            "Has function \"mmap\" : YES\nHas function \"futex\" : NO\nHas function \"pread\" : YES\nHas function \
             \"writev\" : YES\n"
                .to_owned(),
        ),
        // Rows and members that count on: each has a name that somebody may look for.
        ("./symbols", numbered(|n| format!("f{n}   function   {}   calc.py\n", n * 4 - 3))),
        ("./hosts", numbered(|n| format!(" 'host{n}': {{'ip': '10.0.0.{n}'}},\n"))),
        (
            "./deps",
            numbered(|n| format!("  <dep>\n    <name>lib{n}</name>\n    <version>1.{n}.0</version>\n  </dep>\n")),
        ),
        // Rows of numbers that are alike.
        (
            "./sums",
            rows(
                "item# # # #",
                &[
                    &["0", "189", "204", "41.4"],
                    &["1", "196", "311", "17.2"],
                    &["2", "203", "108", "29.9"],
                    &["3", "210", "220", "31.1"],
                    &["4", "217", "154", "22.8"],
                    &["5", "224", "161", "36.5"],
                ],
            ),
        ),
        // Values of which none has a name.
        (
            "./schema",
            rows(
                "CREATE TABLE \"#\" (\"id\" integer NOT NULL PRIMARY KEY, \"#\" integer NOT NULL REFERENCES \"#\" (\"id\"));",
                &[&["shop_basket", "owner_id", "shop_owner"], &["shop_parcel", "order_id", "shop_order"]],
            ),
        ),
    ];
    let mut lost = Vec::new();
    for (command, text) in &table {
        let without_blanks = |text: &str| text.replace([' ', '\n'], "");
        let shown = without_blanks(&filtered(command, text));
        lost.extend(text.lines().filter(|line| !shown.contains(&without_blanks(line))).map(|line| (command, line)));
    }
    assert_eq!(lost, []);
}

/// Where none fails, steps that went well are counted.
#[test]
fn steps_without_a_failure_are_counted() {
    let text = "Applying 0003_names ... OK\nApplying 0004_ages ... OK\nApplying 0005_index ... OK\nall is done\n";
    assert_eq!(filtered("./migrate.sh", text), "[… 3 lines]\nall is done\n");
}
