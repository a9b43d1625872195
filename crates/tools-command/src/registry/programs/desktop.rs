//! Desktop programs: they control other windows, open files in the program for their type, and show
//! and record pictures, sounds and films.

use tools_core::Access;

use crate::reader::Value;
use crate::registry::prelude::*;
use crate::registry::{Doubt, is_remote};

/// Options of `ffmpeg` without a value.
const ALONE: [&str; 33] = [
    "-y", "-n", "-hide_banner", "-nostdin", "-stats", "-nostats", "-an", "-vn", "-sn", "-dn", "-shortest", "-re",
    "-report", "-version", "-formats", "-codecs", "-encoders", "-decoders", "-filters", "-protocols", "-pix_fmts",
    "-bsfs", "-devices", "-layouts", "-copyts", "-start_at_zero", "-ignore_unknown", "-xerror", "-benchmark",
    "-accurate_seek", "-autorotate", "-noautorotate", "-L",
];

pub(super) static ALL: &[Program] = &[
    Program {
        family: &["xdotool", "ydotool", "wtype", "dotool", "xte"],
        flags: "-v|--version -h|--help -*",
        rules: &[
            always(By(started)),
            when(
                Operand("key keydown keyup type click mousedown mouseup behave -"),
                Hides("keys and clicks that other windows obey"),
            ),
            when(OperandHas("/"), Hides("keys and clicks that a file lists")),
            when(Fed, Hides("keys and clicks that other windows obey")),
        ],
        examples: &[
            ("xdotool exec --sync sudo id", Expect::Denied("takes other rights")),
            ("xdotool search x exec sudo id", Expect::Denied("takes other rights")),
            ("xdotool type x", Expect::Opaque("other windows obey")),
            ("xdotool ./script", Expect::Opaque("a file lists")),
        ],
        plain_lines: &["xdotool getactivewindow"],
        ..Program::LEADING
    },
    Program {
        family: &["scrot", "maim", "flameshot", "gnome-screenshot", "grim", "slurp"],
        flags: "-b|--border -c|--count -f|--freeze -h|--help -i|--ignorekeyboard -m|--multidisp -o|--overwrite -p|--pointer \
                    -u|--focused -v|--version -z|--silent -*",
        valued: "-a|--autoselect -C|--class -D|--display -d|--delay -e|--exec -F|--file -l|--line -M|--monitor -n|--note -q|--quality \
                     -t|--thumb -w|--window -S|--script -g",
        optional: "-k|--stack -s|--select",
        rules: &[
            always(RunsLineWithMore(At::Value("--exec"))),
            always(Writes(At::All)),
            always(Writes(At::Value("--file"))),
        ],
        examples: &[
            ("scrot -e 'sudo id'", Expect::Denied("takes other rights")),
            ("scrot -zbe 'sudo id' x.png", Expect::Denied("takes other rights")),
            ("scrot .envrc", Expect::Writes(".envrc")),
        ],
        plain_lines: &["scrot -d 5 x.png"],
        ..Program::EXACT
    },
    Program {
        family: &["ffmpeg", "ffplay", "avconv"],
        flags: "-*",
        rules: &[always(By(converted))],
        examples: &[
            ("ffmpeg -i a.wav -af ladspa=file=./x.so b.wav", Expect::Opaque("a library")),
            ("ffmpeg -i a.mp4 -vf 'scale=1:2,frei0r=./x' b.mp4", Expect::Opaque("a library")),
            ("ffmpeg -i private/x y.mp4", Expect::Reads("private/x")),
            ("ffmpeg -y -i x .envrc", Expect::Writes(".envrc")),
            ("ffmpeg -i x -c copy -f tee 'a.mp4|.envrc'", Expect::Opaque("several files")),
            ("ffmpeg -re -i x -f flv rtmp://h/live", Expect::Connects("rtmp://h/live")),
        ],
        plain_lines: &["ffmpeg -hide_banner -i a.mp4 -c:v libx264 -crf 20 b.mkv"],
        ..Program::EXACT
    },
    Program {
        family: &["sox", "play", "rec", "soxi"],
        flags: "-*",
        valued: "-t -r -b -c -e -v -C --effects-file --plot",
        rules: &[
            always(RunsLine(At::Rest("|"))),
            always(Reads(At::Nth(0))),
            when(AtLeast(2), Writes(At::Nth(1))),
            when(Operand("ladspa"), Hides("a filter that is a library")),
            when(Has("--effects-file"), Hides("effects that a file lists")),
        ],
        examples: &[
            ("sox '|sudo id' x.wav", Expect::Denied("takes other rights")),
            ("sox -t wav '|sudo id' x.wav", Expect::Denied("takes other rights")),
            ("sox a.wav b.wav ladspa ./x.so", Expect::Opaque("a library")),
            ("sox a.wav .envrc", Expect::Writes(".envrc")),
        ],
        plain_lines: &["sox a.wav b.mp3"],
        ..Program::EXACT
    },
    Program {
        family: &["mpv", "mplayer", "vlc", "cvlc", "feh", "xpad", "xmore", "yelp"],
        flags: "-*",
        valued: "-A|--action --action1 --action2 -f|--filelist --script --scripts --include --input-conf --config-dir --input-ipc-server \
                     --input-commands --stream-record --lua-intf -I|--intf --extraintf --sout -o --output --info",
        rules: &[
            always(RunsLineWithMore(At::Value("--action --action1 --action2 --info"))),
            always(RunsScript(At::Value("--script --scripts"))),
            when(
                Has(
                    "--include --input-conf --config-dir --input-ipc-server --input-commands --lua-intf -I --extraintf --sout",
                ),
                Hides("a viewer with settings or commands of its own choice"),
            ),
            always(Reads(At::All)),
            always(Reads(At::Value("-f"))),
            always(Writes(At::Value("--stream-record -o --output"))),
        ],
        examples: &[
            ("feh -A 'sudo id' x.png", Expect::Denied("takes other rights")),
            ("mpv --script=x.lua a.mp4", Expect::Scripts("x.lua")),
            ("mpv --input-conf=x a.mp4", Expect::Opaque("of its own choice")),
            ("xpad -f private/x", Expect::Reads("private/x")),
        ],
        plain_lines: &["mpv a.mp4"],
        ..Program::EXACT
    },
    Program {
        family: &[
            "run-mailcap", "see", "xdg-open", "gio-open", "gnome-open", "exo-open", "kde-open", "wslview", "mimeopen",
        ],
        flags: "--norun --debug --help --version --manual -*",
        valued: "--action",
        rules: &[
            when_all(
                &[Lacks("--norun --help --version"), AtLeast(1)],
                Hides("a file that the program of its type opens"),
            ),
            always(Reads(At::All)),
        ],
        examples: &[
            ("run-mailcap --action=view text/plain:x", Expect::Opaque("of its type")),
            ("xdg-open x.html", Expect::Opaque("of its type")),
        ],
        plain_lines: &["run-mailcap --norun x"],
        ..Program::EXACT
    },
    Program {
        names: &["xdg-user-dir"],
        rules: &[when(OperandHas("} { ; $ ` ( | & < >"), Hides("a name of a folder that a shell evaluates"))],
        examples: &[("xdg-user-dir '}; id #'", Expect::Opaque("a shell evaluates"))],
        plain_lines: &["xdg-user-dir DOWNLOAD"],
        ..Program::GNU
    },
    Program {
        family: &["busctl", "gdbus", "dbus-send", "qdbus", "qdbus6"],
        flags: "--system --user --session --no-pager --list --tree --quiet --verbose --version --help --show-machine --unique --acquired \
                    --print-reply --literal -y|--system-bus -e -*",
        valued: "-H|--host -M|--machine --address --match --dest -d -o --object-path -m --method --timeout",
        rules: &[
            when(ValueHas("--address", "unixexec:"), Hides("a connection through a program of its own choice")),
            when(Has("--host --machine --address"), NeedsNetwork),
            when(
                First("call set-property emit wait"),
                Says(Consequence::ChangesSystem, "calls a service of this machine, which may run anything"),
            ),
            when(
                Has("--dest --print-reply"),
                Says(Consequence::ChangesSystem, "calls a service of this machine, which may run anything"),
            ),
        ],
        examples: &[
            ("busctl --address=unixexec:path=./x", Expect::Opaque("of its own choice")),
            ("busctl --address unixexec:path=./x status", Expect::Opaque("of its own choice")),
            ("busctl call a /b c d", Expect::Asks("a service of this machine")),
            ("dbus-send --system --dest=a --print-reply /b c.d", Expect::Asks("a service of this machine")),
        ],
        plain_lines: &["busctl list"],
        ..Program::EXACT
    },
    Program {
        family: &["xmodmap", "setxkbmap", "xset", "xrdb", "xkbcomp", "xinput"],
        flags: "-*",
        valued: "-e -display -cpp -load -merge -override",
        rules: &[
            always(RunsLineWithMore(At::Value("-cpp"))),
            always(Reads(At::All)),
            always(Reads(At::Value("-load -merge -override"))),
        ],
        examples: &[
            ("xrdb -cpp 'sudo id' x", Expect::Denied("takes other rights")),
            ("xmodmap -v private/x", Expect::Reads("private/x")),
        ],
        plain_lines: &["xset q"],
        ..Program::SINGLE
    },
];

/// The command after `exec`, which ends a chain of `xdotool` commands.
fn started(parsed: &Parsed<'_>) -> Vec<Effect> {
    let args = &parsed.command.args;
    let Some(at) = args.iter().position(|arg| arg.text == "exec") else { return Vec::new() };
    let mut rest = &args[at + 1..];
    while let Some(option) = rest.first().filter(|option| option.text.starts_with("--")) {
        let has_value = matches!(option.text.as_str(), "--args" | "--terminator");
        rest = rest.get(1 + usize::from(has_value)..).unwrap_or_default();
    }
    vec![Effect::runs(rest.to_vec()), Effect::hidden("a program that `xdotool` starts")]
}

/// The files and hosts of `ffmpeg`: it reads the value of `-i`, and writes the arguments that
/// belong to no option.
fn converted(parsed: &Parsed<'_>) -> Vec<Effect> {
    const LIBRARIES: [&str; 4] = ["ladspa", "frei0r", "lv2=", "dnn_"];
    let is_player = parsed.command.name() == "ffplay";
    let mut found = Vec::new();
    let mut args = parsed.command.args.iter();
    let mut touch = |path: &Value, access: Access| {
        found.push(if is_remote(path) { Effect::Host(path.clone()) } else { Effect::path(path.clone(), access) });
    };
    while let Some(arg) = args.next() {
        if !arg.text.starts_with('-') || arg.text == "-" {
            touch(arg, if is_player { Access::Read } else { Access::Write });
        } else if !ALONE.contains(&arg.text.as_str()) {
            let Some(value) = args.next() else { break };
            if arg.text == "-i" {
                touch(value, Access::Read);
            }
        }
    }
    // If such a word is an option, it may name files and libraries.
    found.extend(parsed.command.args.iter().filter(|arg| arg.start().is_some_and(|start| start.is_empty())).map(
        |arg| {
            let doubt = Doubt::Whole;
            Effect::MayDecide(arg.clone(), doubt)
        },
    ));
    let formats = parsed.command.args.windows(2).filter(|pair| pair[0].text == "-f" && pair[1].start().is_some());
    found.extend(formats.map(|pair| Effect::MayDecide(pair[1].clone(), Doubt::Value)));
    let names = |text: &str| parsed.command.args.iter().any(|arg| arg.text.contains(text));
    if LIBRARIES.iter().any(|library| names(library)) {
        found.push(Effect::hidden("a filter that is a library"));
    }
    if parsed.command.args.windows(2).any(|pair| pair[0].text == "-f" && pair[1].text == "tee") {
        found.push(Effect::hidden("`ffmpeg` writes several files"));
    }
    if names("filter_script") || names("-/") || names("-load_plugins") {
        found.push(Effect::hidden("`ffmpeg` with filters from a file"));
    }
    found
}
