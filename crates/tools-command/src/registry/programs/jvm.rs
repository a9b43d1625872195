//! Java and related languages: classes, archives, agents, and code given by an option.

use tools_core::Access;

use crate::reader::Value;
use crate::registry::prelude::*;

pub(super) static ALL: &[Program] = &[
    Program {
        family: &["java", "javaw"],
        flags: "-server -client -ea -esa -da -dsa -showversion --show-version -version --version -help --help -? -X --help-extra \
                    --enable-preview --dry-run --validate-modules --list-modules -verbose --show-module-resolution -Xint -Xcomp -Xmixed \
                    -Xrs -Xbatch -Xfuture",
        valued: "-cp|-classpath|--class-path -p|--module-path --add-modules --add-opens --add-exports --add-reads --patch-module \
                     --limit-modules --upgrade-module-path --source -d|--describe-module --enable-native-access --finalization",
        optional: "-D* -Xm* -Xs* -XX:* -X* -verbose:* -ea:* -da:* -enableassertions* -splash:* -agentlib:* -agentpath:* -javaagent:* -@*",
        last: "-jar -m|--module",
        style: Style::Single,
        rules: &[
            always(ByOption(machine)),
            always(By(written)),
            always(RunsScript(At::Value("-jar"))),
            when(Lacks("-jar -m"), By(main_class)),
        ],
        examples: &[
            ("java -XX:OnError='sudo id' X", Expect::Opaque("loads an agent")),
            ("java -javaagent:x.jar Main", Expect::Opaque("loads an agent")),
            ("java @args Main", Expect::Opaque("loads an agent")),
            ("java -Xrunx Main", Expect::Opaque("loads an agent")),
            ("java -Xlog:gc*:file=.envrc Main", Expect::Writes(".envrc")),
            ("java -Xloggc:.envrc Main", Expect::Writes(".envrc")),
            ("java -XX:HeapDumpPath=.envrc Main", Expect::Writes(".envrc")),
            ("java -XX:StartFlightRecording=duration=1s,filename=.envrc Main", Expect::Writes(".envrc")),
            ("java -Xmx1g -agentpath:./x.so -jar a.jar", Expect::Opaque("loads an agent")),
            ("echo x > A.java; java A.java", Expect::Opaque("written by this very line")),
        ],
        plain_lines: &[
            "java -Xlog:gc=debug:stdout Main", "java -cp out Main",
            "java -Xmx1g -Dfile.encoding=UTF-8 -jar app.jar --odd", "java -version",
        ],
        ..Program::GNU
    },
    Program {
        family: &[
            "jshell", "scala", "scala3", "scala-cli", "groovy", "kotlin", "clojure-cli", "jruby-complete", "jython",
            "bsh",
        ],
        flags: "-i -n -p -q -v -s -deprecation -feature -explain --power -howtorun",
        valued: "-cp|-classpath|--classpath|--class-path -c -e --execute-expression -l|--load -I -J -R --startup --feedback --add-modules \
                     -D -S",
        style: Style::Leading,
        rules: &[
            always(Evaluates(Language::Other, At::Value("-e -c"))),
            when_all(&[Lacks("-e -c"), FirstIsNot("run compile test fmt package setup-ide -")], RunsScript(At::Nth(0))),
            when_all(&[Lacks("-e -c --version -version -v --help"), AtMost(0)], Hides("it runs what it reads")),
            when(First("-"), Hides("it runs what it reads")),
        ],
        examples: &[
            ("groovy -e '\"id\".execute()'", Expect::Opaque("code with")),
            ("scala -e 'sys.process.stringToProcess(\"id\").!'", Expect::Opaque("code with")),
            ("jshell", Expect::Opaque("runs what it reads")),
            ("jshell - <<< x", Expect::Opaque("runs what it reads")),
            ("groovy --odd -e 1", Expect::Opaque("`--odd` of `groovy`")),
        ],
        plain_lines: &["groovy x.groovy", "scala-cli compile ."],
        ..Program::GNU
    },
];

/// JVM options that run a command or load code.
fn machine(parsed: &Parsed<'_>) -> Vec<Effect> {
    let signs = [
        "-XX:OnOutOfMemoryError", "-XX:OnError", "-Xrun", "-javaagent", "-agentpath", "-agentlib", "-XX:Flags",
        "-XX:VMOptionsFile", "@",
    ];
    let own = parsed.operands.first().copied().unwrap_or(parsed.command.args.len());
    let is_sign = |arg: &Value| signs.iter().any(|sign| arg.text.starts_with(sign));
    let runs = parsed.command.args.iter().take(own + 1).any(is_sign);
    runs.then(|| Effect::hidden("`java` that runs a command or loads an agent")).into_iter().collect()
}

/// Files that the JVM writes: `-Xlog:gc:file=FILE`, `-XX:HeapDumpPath=FILE`.
fn written(parsed: &Parsed<'_>) -> Vec<Effect> {
    let flags =
        ["HeapDumpPath", "LogFile", "ErrorFile", "ArchiveClassesAtExit", "DumpLoadedClassList", "ReplayDataFile"];
    let file = |value: &Value| {
        let text = value.text.as_str();
        let output = text.strip_prefix("log:").and_then(|log| log.split(':').nth(1)).or(text.strip_prefix("loggc:"));
        let output = output.map(|file| file.strip_prefix("file=").unwrap_or(file));
        let output = output.filter(|file| !matches!(*file, "" | "stdout" | "stderr"));
        let flag = text.split_once('=').filter(|(name, _)| flags.contains(name)).map(|(_, file)| file);
        let recording = text.split(['=', ',']).skip_while(|part| *part != "filename").nth(1);
        let file = output.or(flag).or(recording)?;
        Some(Effect::path(Value { text: file.trim_matches('"').to_owned(), ..value.clone() }, Access::Write))
    };
    parsed.values("-X* -XX:*").filter_map(file).collect()
}

/// A source file instead of a class.
fn main_class(parsed: &Parsed<'_>) -> Vec<Effect> {
    let file =
        parsed.operand(0).filter(|first| first.text.to_lowercase().ends_with(".java") || first.text.contains('/'));
    file.cloned().map(Effect::Script).into_iter().collect()
}
