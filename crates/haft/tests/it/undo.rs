//! Random scripts of shell and Python through the whole stack, each taken back: the tree is as it
//! was, to the byte, the mode and the time. `HAFT_UNDO_SCRIPTS` says how many.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;

use haft::Toolbox;
use haft::core::{NobodyToAsk, ToolCall};
use proptest::{prelude::*, test_runner::TestRunner};
use serde_json::json;
use tools_testkit::Workspace;

use crate::{ALL_COMMANDS, toolbox};

/// Everything in a folder: name, kind, mode, time of change, and content or target.
fn state(folder: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(path) = pending.pop() {
        let metadata = fs::symlink_metadata(&path).unwrap();
        let content = match metadata.file_type() {
            kind if kind.is_symlink() => format!("-> {}", fs::read_link(&path).unwrap().display()),
            kind if kind.is_file() => format!("{:?}", fs::read(&path).map_err(|error| error.kind())),
            kind if kind.is_dir() => match fs::read_dir(&path) {
                Ok(entries) if metadata.mode() & 0o100 != 0 => {
                    pending.extend(entries.map(|entry| entry.unwrap().path()));
                    "folder".to_owned()
                }
                _ => "closed folder".to_owned(),
            },
            _ => "other".to_owned(),
        };
        let time = (metadata.mtime(), metadata.mtime_nsec());
        lines.push(format!("{} {:o} {time:?} {content}", path.display(), metadata.mode()));
    }
    lines.sort();
    lines
}

fn furnish(work: &Path) {
    // So many that the system is asked to tell what changes between calls.
    fs::create_dir(work.join("many")).unwrap();
    for number in 0..150 {
        fs::write(work.join(format!("many/{number}")), number.to_string()).unwrap();
    }
    for folder in ["dir/deep/er", "src", ".git/objects/ab", ".git/refs/heads", "empty"] {
        fs::create_dir_all(work.join(folder)).unwrap();
    }
    let files = [
        "a.txt",
        "b c.txt",
        "dir/d",
        "dir/deep/e",
        "dir/deep/er/f",
        "src/main.rs",
        "run.sh",
        "closed",
        "zero",
        ".git/HEAD",
        ".git/config",
        ".git/index",
        ".git/objects/ab/cdef",
        ".git/refs/heads/main",
    ];
    for (number, name) in files.iter().enumerate() {
        let content = if *name == "zero" { String::new() } else { format!("{name} {number}\nmore\n") };
        fs::write(work.join(name), content).unwrap();
    }
    fs::set_permissions(work.join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(work.join("closed"), fs::Permissions::from_mode(0o400)).unwrap();
    symlink("a.txt", work.join("link")).unwrap();
    symlink("dir", work.join("folder-link")).unwrap();
    symlink("/nowhere", work.join("dangling")).unwrap();
}

/// Changes that may close a folder to its user. Only root can compare what lies in it.
const CLOSING: [&str; 2] = ["chmod N00 A", "python3 -c \"import os; os.utime('A',(N,N)); os.chmod('A',0o6N4)\""];

/// One change: `A`, `B` are names, `N` is a number.
const CHANGES: [&str; 46] = [
    "rm -rf A",
    "rm -f A",
    "mv A B",
    "mv -T A B",
    "cp -r A B",
    "cp -p A B",
    "echo N > A",
    "printf more >> A",
    "mkdir -p A",
    "mkdir -p A/n/N",
    "chmod N00 A; test ! -d A || chmod u+rwx A",
    "chmod u+x A",
    "touch -h -d '2001-02-03 04:05:N' A",
    "ln -sfn A B",
    "ln -f A B",
    "mkfifo A",
    "truncate -s N A",
    "find A -type f -delete",
    "find . -name 'e*' -exec rm -rf {} +",
    "sed -i s/more/less/ A",
    "dd if=/dev/zero of=A bs=1 count=N conv=notrunc 2>/dev/null",
    "tar -cf t.tar A && rm -rf A && tar -xf t.tar",
    "for i in 1 2 3; do echo $i > A-$i; done",
    "python3 -c \"open('A','a').write('N')\"",
    "python3 -c \"open('A','r+b').write(b'X')\"",
    "python3 -c \"import os; os.rename('A','B')\"",
    "python3 -c \"import shutil; shutil.rmtree('A')\"",
    "python3 -c \"import os; os.utime('A',(N,N)); os.chmod('A',0o7N4)\"",
    "python3 -c \"import os; os.symlink('A','B')\"",
    "ln A B && echo N > B",
    "ln A B && printf more >> A && rm B",
    "cp -al A B",
    "exec 3<>A && echo N >&3",
    "(sleep 0.0N; echo N > A) & wait",
    "install -m 700 A B",
    "perl -pi -e 's/o/N/' A",
    "split -b 3 A B-",
    "ln -s B link-N && mv link-N A && printf more > A",
    "python3 -c \"import shutil; shutil.move('A','B')\"",
    "python3 -c \"import shutil; shutil.copytree('A','B',symlinks=True)\"",
    "python3 -c \"import mmap; f=open('A','r+b'); m=mmap.mmap(f.fileno(),0); m[0:1]=b'N'; m.flush()\"",
    "python3 -c \"import os; d=os.open('dir',0); os.replace('d','moved',src_dir_fd=d,dst_dir_fd=d)\"",
    "python3 -c \"import os; f=os.open('A',os.O_RDWR); os.fchmod(f,0o7N0); os.ftruncate(f,N)\"",
    "cd A && echo N > inside && ln -s inside further && echo N >> further",
    "git init -q A",
    "python3 -c \"import os; [open(f'A{i}','wb').write(os.urandom(i)) for i in range(N)]\"",
];

fn change() -> impl Strategy<Value = String> {
    let name = || {
        prop::sample::select(vec![
            "a.txt",
            "'b c.txt'",
            "dir",
            "dir/d",
            "dir/deep",
            "dir/deep/e",
            "src/main.rs",
            "run.sh",
            "closed",
            "zero",
            "link",
            "folder-link",
            "folder-link/d",
            "dangling",
            "empty",
            "new",
            "new/x",
            ".git",
            ".git/index",
            ".git/refs/heads/main",
        ])
    };
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    let closing = CLOSING.into_iter().filter(move |_| is_root);
    (prop::sample::select(CHANGES.into_iter().chain(closing).collect::<Vec<_>>()), name(), name(), 1..8_u8).prop_map(
        |(change, a, b, number)| {
            let in_python = change.starts_with("python3");
            let bare = |name: &str| if in_python { name.replace('\'', "") } else { name.to_owned() };
            change.replace('A', &bare(a)).replace('B', &bare(b)).replace('N', &number.to_string())
        },
    )
}

/// Runs a script; `false` when it is one that nobody may run, such as one that removes the
/// repository by name.
async fn run(toolbox: &Toolbox, script: &str) -> bool {
    let call = ToolCall::new("bash", json!({ "command": script })).unwrap();
    match toolbox.stack().run_approved(call, &toolbox.context(), &NobodyToAsk).await.outcome {
        Ok(output) => assert_eq!(output.raw_response.unwrap()["exit_code"], 0, "{script}"),
        Err(error) if error.code() == "command_blocked" => return false,
        Err(error) => panic!("{script}: {error}"),
    }
    true
}

#[test]
fn every_random_script_is_taken_back_to_the_byte() {
    let cases = std::env::var("HAFT_UNDO_SCRIPTS").ok().and_then(|cases| cases.parse().ok()).unwrap_or(20);
    // All work in one tree, so that what follows a failure says nothing.
    let config = ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 0, ..ProptestConfig::default() };
    let workspace = Workspace::new();
    let rules = format!("[tools.shell]\nconfirm_patterns = []\n{ALL_COMMANDS}");
    let toolbox = toolbox(&workspace, &rules);
    let work = workspace.path("work");
    furnish(&work);
    let before = state(&work);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    TestRunner::new(config)
        .run(&prop::collection::vec(change(), 1..7), |changes| {
            // Written to a file that no change touches, so that each script changes something for
            // sure.
            let script = format!("echo made > made-by-the-script\n({}) 2>/dev/null\ntrue", changes.join("\n"));
            if !runtime.block_on(run(&toolbox, &script)) {
                return Err(TestCaseError::reject("blocked"));
            }
            let undone = toolbox.parts().checkpoints.as_ref().unwrap().undo(&work, 1).unwrap();
            prop_assert_eq!(&undone.refused, &[], "{}", script);
            prop_assert_eq!(state(&work), before.clone(), "{}", script);
            Ok(())
        })
        .unwrap();
}

#[tokio::test]
async fn a_file_that_is_made_through_a_link_belongs_to_the_call() {
    let workspace = Workspace::new();
    let toolbox = toolbox(&workspace, ALL_COMMANDS);
    let work = workspace.path("work");
    fs::create_dir(work.join("dir")).unwrap();
    symlink("dir/made", work.join("first")).unwrap();
    symlink("first", work.join("second")).unwrap();
    assert!(run(&toolbox, "echo x > second").await);
    assert!(work.join("dir/made").exists());
    let undone = toolbox.parts().checkpoints.as_ref().unwrap().undo(&work, 1).unwrap();
    assert_eq!((undone.removed, undone.others), (vec![work.join("dir/made")], vec![]));
}
