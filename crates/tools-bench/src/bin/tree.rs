//! Creates the tree for measuring searches: `cargo run -p tools-bench --bin tree -- FOLDER`.

use std::{path::Path, process::ExitCode};

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("usage: tree FOLDER");
        return ExitCode::from(2);
    };
    match std::fs::create_dir_all(&folder).and_then(|()| tools_bench::tree::make(Path::new(&folder))) {
        Ok(tree) => {
            println!("{}: {} files, {} bytes", tree.path.display(), tree.files, tree.bytes);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{}: {error}", Path::new(&folder).display());
            ExitCode::FAILURE
        }
    }
}
