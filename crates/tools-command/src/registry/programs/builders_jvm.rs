//! Build tools for the JVM: `mvn`, `gradle`, `sbt`, `ant` and others.

use crate::reader::Value;
use crate::registry::prelude::*;

/// Effect of options that name programs, settings or code.
const OWN: Does = Hides("a build with programs or settings of its own choice");

/// Files that `gradle` obeys.
const GRADLE: &str = "**/*.gradle **/*.gradle.kts gradle.properties";

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["mvn", "mvnw", "mvnd", "mvnw.cmd", "mvnDebug"],
        flags: "-am|--also-make -amd|--also-make-dependents -B|--batch-mode -C|--strict-checksums -c|--lax-checksums \
                    -cpu|--check-plugin-updates -e|--errors -fae|--fail-at-end -ff|--fail-fast -fn|--fail-never -h|--help \
                    -itr|--ignore-transitive-repositories -llr|--legacy-local-repository -N|--non-recursive \
                    -npr|--no-plugin-registry -npu|--no-plugin-updates -nsu|--no-snapshot-updates -ntp|--no-transfer-progress \
                    -o|--offline -q|--quiet -U|--update-snapshots -up|--update-plugins -V|--show-version -v|--version \
                    -X|--debug|--verbose --non-interactive",
        valued: "-b|--builder --color -D|--define -emp|--encrypt-master-password -ep|--encrypt-password -f|--file \
                     -gs|--global-settings -gt|--global-toolchains -is|--install-settings -l|--log-file -P|--activate-profiles \
                     -pl|--projects -rf|--resume-from -s|--settings -T|--threads -t|--toolchains -ps|--project-settings",
        optional: "-D* -P* -T* -fos|--fail-on-severity",
        rules: &[
            always(ObeysAround("**/pom.xml .mvn/*")),
            always(By(goals)),
            always(ByOption(properties)),
            always(RunsScript(At::Value("--file"))),
            when(Has("--settings --global-settings --install-settings --project-settings"), OWN),
            always(Writes(At::Value("--log-file"))),
        ],
        builds: true,
        examples: &[
            ("mvn deploy", Expect::Asks("publishes")),
            ("mvn -q deploy", Expect::Asks("publishes")),
            ("mvn clean site-deploy", Expect::Asks("publishes")),
            ("mvn deploy:deploy-file -Dfile=x", Expect::Asks("publishes")),
            ("mvn org.apache.maven.plugins:maven-deploy-plugin:3.1.1:deploy", Expect::Asks("publishes")),
            ("mvn release:perform", Expect::Asks("publishes")),
            ("mvn verify sonar:sonar", Expect::Asks("publishes")),
            ("mvn exec:exec -Dexec.executable=sudo", Expect::Runs("sudo")),
            ("mvn test -DargLine=-javaagent:x.jar", Expect::Opaque("of its own choice")),
            ("mvn -s x test", Expect::Opaque("of its own choice")),
            ("mvn -l x test", Expect::Writes("x")),
        ],
        plain_lines: &[
            "mvn release:prepare -DdryRun=true", "mvn -q test -Dtest=FooTest", "mvn -DskipTests package",
            "mvn clean install", "mvn dependency:tree",
        ],
        ..Program::SINGLE
    },
    Program {
        names: &["gradle", "gradlew", "gradlew.bat"],
        flags: "-?|-h|--help -a|--no-rebuild --build-cache --no-build-cache --configuration-cache --no-configuration-cache \
                    --configure-on-demand --no-configure-on-demand --continue --no-continue --daemon --no-daemon -d|--debug \
                    --export-keys --foreground -i|--info -m|--dry-run --no-parallel --offline --parallel --profile -q|--quiet \
                    --refresh-dependencies --refresh-keys --rerun-tasks -S|--full-stacktrace -s|--stacktrace --scan --no-scan \
                    --status --stop -t|--continuous -V|--show-version -v|--version -w|--warn --watch-fs \
                    --no-watch-fs --write-locks --isolated-projects --no-problems-report --rerun",
        valued: "-b|--build-file -c|--settings-file --console -D|--system-prop -F|--dependency-verification \
                     -g|--gradle-user-home -I|--init-script --include-build -M|--write-verification-metadata --max-workers \
                     -P|--project-prop -p|--project-dir --priority --project-cache-dir --update-locks --warning-mode \
                     -x|--exclude-task --configuration-cache-problems --tests --args --task --configuration",
        optional: "-D* -P*",
        rules: &[
            always(ObeysAround(GRADLE)),
            when(Has("--scan"), PUBLISHES),
            when(Lacks("--dry-run --help"), By(tasks)),
            always(ByOption(properties)),
            always(RunsScript(At::Value("--build-file --settings-file --init-script"))),
            when(Has("--init-script --gradle-user-home"), OWN),
        ],
        builds: true,
        examples: &[
            ("gradle publish", Expect::Asks("publishes")),
            ("gradle -q publish", Expect::Asks("publishes")),
            ("gradle :a:publishAllPublicationsToMavenRepository", Expect::Asks("publishes")),
            ("gradle pub", Expect::Asks("publishes")),
            ("gradle uploadArchives", Expect::Asks("publishes")),
            ("gradlew pTMR", Expect::Asks("publishes")),
            ("gradle publishPlugins", Expect::Asks("publishes")),
            ("gradle build --scan", Expect::Asks("publishes")),
            ("gradle -I x test", Expect::Opaque("of its own choice")),
            ("gradle test -Dorg.gradle.jvmargs=-javaagent:x", Expect::Opaque("of its own choice")),
        ],
        plain_lines: &[
            "gradle publish -m", "gradle -x publish build", "gradle publishToMavenLocal",
            "gradlew test --tests com.example.Foo", "gradle build -Pversion=1", "gradle :app:dependencies",
        ],
        ..Program::EXACT
    },
    Program {
        family: &["sbt", "mill", "lein", "bloop"],
        flags: "-h|-help|--help -v|-verbose|--verbose -V|--version -d|-debug -no-colors --no-colors -batch --batch -client \
                    --client -no-share -no-global -shell -error -warn -info -i",
        valued: "-java-home|--java-home -mem|--mem -jvm-debug --jvm-debug -ivy --ivy --sbt-version --sbt-jar --sbt-dir -j --jobs",
        optional: "-D* -J* -S*",
        rules: &[
            always(ObeysAround("build.sbt project/* build.sc build.mill project.clj")),
            always(ByOption(commands)),
            always(ByOption(properties)),
            when(Has("-J* -java-home --sbt-jar"), OWN),
        ],
        builds: true,
        examples: &[
            ("sbt publish", Expect::Asks("publishes")),
            ("sbt 'project x' +publishSigned", Expect::Asks("publishes")),
            ("sbt ';clean;release'", Expect::Asks("publishes")),
            ("sbt 'set x := 1' compile", Expect::Opaque("code of its own")),
            ("sbt 'eval sys.exit(1)'", Expect::Opaque("code of its own")),
            ("mill __.publish", Expect::Asks("publishes")),
            ("lein deploy clojars", Expect::Asks("publishes")),
            ("sbt -J-javaagent:x test", Expect::Opaque("of its own choice")),
        ],
        plain_lines: &["sbt test", "sbt publishLocal", "lein test", "sbt 'testOnly x.Y'"],
        ..Program::SINGLE
    },
    Program {
        names: &["ant"],
        flags: "-help|-h -projecthelp|-p -version -diagnostics -quiet|-q -silent|-S -verbose|-v -debug|-d -emacs|-e \
                    -noinput -keep-going|-k -nouserlib -noclasspath -autoproxy",
        valued: "-lib -logfile|-l -logger -listener -buildfile|-file|-f -propertyfile -inputhandler -find|-s -nice -main",
        optional: "-D*",
        rules: &[
            always(ObeysAround("build.xml")),
            when(Has("-lib -logger -listener -inputhandler -main"), OWN),
            always(RunsScript(At::Value("-buildfile"))),
            always(Writes(At::Value("-logfile"))),
            always(ByOption(commands)),
        ],
        builds: true,
        examples: &[
            ("ant -lib x -logger y", Expect::Opaque("of its own choice")),
            ("ant deploy", Expect::Asks("publishes")),
            ("ant -l x test", Expect::Writes("x")),
        ],
        plain_lines: &["ant test", "ant -f build2.xml clean"],
        ..Program::SINGLE
    },
    Program {
        family: &["coursier", "cs", "jbang", "sdk"],
        flags: "-q|--quiet -v|--verbose",
        subcommands: &[
            ruled("launch install bootstrap setup java trust app uninstall", &[always(FOR_USER)]),
            ruled("publish", &[always(PUBLISHES)]),
            ruled("login", &[always(IDENTITY)]),
        ],
        examples: &[
            ("coursier install x", Expect::Asks("outside of the workspace")),
            ("cs publish", Expect::Asks("publishes")),
        ],
        plain_lines: &["coursier fetch x"],
        ..Program::LEADING
    },
];

fn publishes(asks: bool) -> Vec<Effect> {
    asks.then(|| Effect::is(Consequence::Publishes)).into_iter().collect()
}

/// Goals of `mvn`: `deploy`, `release:perform`, `group:artifact:version:deploy`.
fn goals(parsed: &Parsed<'_>) -> Vec<Effect> {
    let rehearses = parsed.values("-D* --define").any(|value| matches!(value.text.as_str(), "dryRun=true" | "dryRun"));
    let hands_on = |goal: &Value| {
        let verb = goal.text.split('@').next().unwrap_or_default().rsplit(':').next().unwrap_or_default();
        let plugin = goal.text.contains("release:") || goal.text.contains("release-plugin");
        let staging = ["nexus-staging:", "central-publishing:", "wagon:", "jgitflow:", "gitflow:", "sonar:"]
            .iter()
            .any(|one| goal.text.starts_with(one));
        matches!(verb, "deploy" | "site-deploy" | "deploy-file" | "publish" | "push" | "checkin" | "upload")
            || plugin && !rehearses && matches!(verb, "perform" | "prepare" | "branch" | "stage")
            || staging
    };
    publishes(parsed.operands().any(hands_on))
}

/// Tasks of `gradle`, by their names and abbreviations: `pTMR` is `publishToMavenRepository`.
fn tasks(parsed: &Parsed<'_>) -> Vec<Effect> {
    let hands_on = |task: &Value| {
        let name = task.text.rsplit(':').next().unwrap_or_default();
        let lower = name.to_lowercase();
        let is_local = lower.ends_with("local");
        let is_named =
            ["publish", "upload", "release", "deploy", "closeand"].iter().any(|verb| lower.starts_with(verb));
        let is_begun = name.len() >= 2 && ["publish", "uploadArchives"].iter().any(|verb| verb.starts_with(name));
        // Initials after a beginning of `publish`.
        let start: String = name.chars().take_while(char::is_ascii_lowercase).collect();
        let is_initials =
            name.len() > start.len() && !start.is_empty() && "publish".starts_with(&start) && name.contains('T');
        !is_local && (is_named || is_begun || is_initials && !name.ends_with("ML"))
    };
    publishes(parsed.operands().any(hands_on))
}

/// Commands of `sbt` and similar tools. One word may hold several, and some are code.
fn commands(parsed: &Parsed<'_>) -> Vec<Effect> {
    let mut found = Vec::new();
    for command in parsed.operands().flat_map(|operand| operand.text.split([';', '+']).map(str::trim)) {
        let first = command.split_whitespace().next().unwrap_or_default();
        let verb = first.rsplit(['/', '.', ':']).next().unwrap_or_default();
        if matches!(first, "set" | "eval" | "apply" | "load" | "session" | "<" | "!" | "alias") {
            found.push(Effect::hidden("a build with code of its own"));
        }
        let is_local = verb.ends_with("Local") || verb.ends_with("M2");
        let hands_on = ["publish", "release", "deploy", "sonatype", "ciRelease", "bintray", "upload"];
        if !is_local && hands_on.iter().any(|start| verb.starts_with(start)) {
            found.push(Effect::is(Consequence::Publishes));
        }
    }
    found
}

/// Properties that start programs or load code.
fn properties(parsed: &Parsed<'_>) -> Vec<Effect> {
    let mut found = Vec::new();
    for value in parsed.values("-D* --define --system-prop -P* --project-prop") {
        let (name, text) = value.text.split_once('=').unwrap_or((&value.text, ""));
        let loads = ["-javaagent", "-agentpath", "-agentlib", "OnOutOfMemoryError", "OnError", "-XX:Flags"];
        let starts =
            ["exec.executable", "maven.ext.class.path", "jvm", "javaExecutable", "java.home", "sbt.boot.properties"];
        if name == "exec.executable" && value.is_exact {
            found.push(Effect::Line(Value { text: text.to_owned(), ..value.clone() }));
        }
        // Properties with such names may hold arguments for starting a JVM.
        let is_open =
            !value.is_exact && ["arg", "jvm", "java", "opt"].iter().any(|part| name.to_lowercase().contains(part));
        if is_open || starts.contains(&name) || loads.iter().any(|sign| text.contains(sign)) {
            found.push(Effect::hidden("a build with programs or settings of its own choice"));
        }
    }
    found
}
