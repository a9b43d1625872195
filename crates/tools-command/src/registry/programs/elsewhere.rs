//! Programs that run a command for another machine, in a project's container, or with an account's
//! credentials.

use crate::registry::prelude::*;

const ANY: Program = Program { flags: "-*", ..Program::EXACT };
const REMOVES: Does = Says(Consequence::DeletesForOthers, "removes a machine");

pub(super) static ALL: &[Program] = &[
    Program {
        family: &[
            "multipass", "limactl", "colima", "orb", "orbctl", "podman-machine", "docker-machine", "krunvm", "vmrun",
            "prlctl", "tart",
        ],
        rules: &[
            when_all(&[First("exec shell ssh run login sudo start-shell"), AtLeast(3)], RunsThere(At::From(2))),
            when_all(&[First("shell ssh login"), Fed], Hides("a machine that runs what it reads")),
            when(First("delete purge rm remove destroy prune factory-reset"), REMOVES),
            when(First("mount"), Hides("a machine with files of this one")),
        ],
        examples: &[
            ("multipass exec vm -- rm -rf x", Expect::Asks("runs `rm -rf x` elsewhere")),
            ("limactl shell default rm -rf x", Expect::Asks("runs `rm -rf x` elsewhere")),
            ("multipass delete vm", Expect::Asks("removes a machine")),
            ("multipass mount / vm", Expect::Opaque("files of this one")),
        ],
        plain_lines: &["limactl shell default uname -a", "multipass list"],
        ..ANY
    },
    Program {
        family: &[
            "devcontainer", "ddev", "lando", "sail", "okteto", "devspace", "devpod", "distrobox-enter", "toolbox-run",
        ],
        flags: "-*",
        valued: "--workspace-folder --container-id --config --id-label --override-config -s|--service -d|--dir -c|--command -n|--namespace -u|--user",
        rules: &[
            when_all(
                &[First("exec ssh enter run shell composer php artisan drush npm yarn"), AtLeast(2)],
                RunsThere(At::From(1)),
            ),
            always(RunsLineThere(At::Value("-c"))),
            when(First("delete poweroff destroy clean down"), REMOVES),
            when(First("push deploy share publish"), Is(Consequence::Publishes)),
            when(Has("--config --override-config"), Hides("a container with settings from elsewhere")),
        ],
        examples: &[
            ("ddev exec rm -rf x", Expect::Asks("runs `rm -rf x` elsewhere")),
            ("lando ssh -c 'rm -rf x'", Expect::Asks("runs `rm -rf x` elsewhere")),
            ("ddev delete", Expect::Asks("removes a machine")),
            ("devcontainer up --override-config x", Expect::Opaque("settings from elsewhere")),
        ],
        plain_lines: &["devcontainer exec --workspace-folder . npm test"],
        ..Program::EXACT
    },
    Program {
        family: &[
            "kubie", "telepresence", "mirrord", "vcluster", "saml2aws", "aws-sso", "awsume", "vaultenv",
            "envkey-source", "tsh",
        ],
        flags: "-*",
        valued: "-p|--profile -n|--namespace -t|--target -f|--config-file --config -a|--idp-account --exec-profile --account --role --region \
                     --secrets-file --host --port --run --run-shell --token --steal -l|--login --proxy --user --cluster",
        rules: &[
            always(RunsWords(At::AfterDashes)),
            always(RunsLine(At::Value("--run"))),
            when_all(
                &[First("exec"), AtLeast(2)],
                Hides("a program that starts another one behind options that are not known"),
            ),
            when_all(&[First("ssh"), AtLeast(3)], RunsThere(At::From(2))),
            when(First("ssh scp login"), NeedsNetwork),
            when(Has("--config-file"), Hides("settings from elsewhere")),
        ],
        examples: &[
            ("mirrord exec -t pod/x -- sudo id", Expect::Denied("takes other rights")),
            ("saml2aws exec -- sudo id", Expect::Denied("takes other rights")),
            ("telepresence --run 'rm -rf x'", Expect::Runs("rm -rf x")),
            ("kubie exec ctx ns id", Expect::Opaque("behind options that are not known")),
            ("tsh ssh me@h rm -rf x", Expect::Asks("runs `rm -rf x` elsewhere")),
        ],
        plain_lines: &["kubie ctx x"],
        ..Program::EXACT
    },
    Program {
        family: &["k3s", "microk8s", "k0s", "minikube-kubectl", "rke2"],
        flags: "-*",
        subcommands: &[
            command("kubectl crictl ctr helm kc", Syntax::LEADING, &[always(By(tool))]),
            each("status version inspect check-config config help completion"),
            ruled(
                "enable disable start stop server agent reset refresh-certs add-node remove-node join leave \
                 etcd-snapshot secrets-encrypt certificate token install kubeconfig",
                &[always(Is(Consequence::ChangesSystem))],
            ),
        ],
        otherwise: Otherwise::Opaque("a plug-in"),
        examples: &[
            ("k3s kubectl delete pod x", Expect::Asks("removes resources")),
            ("microk8s enable dns", Expect::Asks("changes the system")),
            ("k3s frob", Expect::Opaque("a plug-in")),
        ],
        plain_lines: &["microk8s kubectl get pods"],
        ..Program::LEADING
    },
    Program {
        family: &["consul", "nomad", "etcdctl", "zkCli.sh", "bao"],
        flags: "-*",
        valued: "-address -http-addr -token -region -namespace -type -key -name -prefix -task -job -group -child-exit-code -timeout -service \
                     --endpoints --cert --key --cacert --user --dial-timeout",
        style: Style::Single,
        rules: &[
            always(RunsWords(At::AfterDashes)),
            when_all(&[First("watch lock"), AtLeast(2)], Hides("a command that is run when something changes")),
            when_all(&[First("exec"), AtLeast(2)], Hides("a command that is run on other machines")),
            when_all(&[First("alloc"), Operand("exec")], Hides("a command that is run on other machines")),
            when(
                Operand(
                    "delete del rm run stop purge force-leave leave put promote fail dispatch revert scale drain eligibility maint import \
                     defrag compact move-leader member grant revoke bootstrap keyring gc reload",
                ),
                Is(Consequence::DeletesForOthers),
            ),
        ],
        examples: &[
            ("consul watch -type=key -key=x id", Expect::Opaque("when something changes")),
            ("consul exec id", Expect::Opaque("on other machines")),
            ("nomad alloc exec x id", Expect::Opaque("on other machines")),
            ("consul kv delete x", Expect::Asks("others may use")),
            ("etcdctl watch x -- sudo id", Expect::Denied("takes other rights")),
        ],
        plain_lines: &["consul members"],
        ..Program::GNU
    },
    Program {
        family: &["plink", "psftp", "pscp", "dbclient"],
        flags: "-v -4 -6 -C -N -T -t -A -a -s -ssh -q -y -x -X -e",
        valued: "-P -l -pw -pwfile -i -L -R -D -m -J -p -c -b -hostkey -load -proxycmd",
        rules: &[
            always(NeedsNetwork),
            always(Connects(At::Nth(0))),
            when(
                Has("-proxycmd -J -m -b -load"),
                Hides("a connection through a program, or with commands, of its own choice"),
            ),
            always(RunsLineWithMore(At::Value("-proxycmd -J"))),
            always(RunsLineThere(At::From(1))),
        ],
        examples: &[
            ("plink -proxycmd 'rm -rf x' h", Expect::Opaque("of its own choice")),
            ("dbclient -J 'rm -rf x' h", Expect::Runs("rm -rf x $@")),
            ("plink me@h rm -rf x", Expect::Asks("runs `rm -rf x` elsewhere")),
            ("plink me@h uptime", Expect::Connects("tcp://h")),
        ],
        ..Program::LEADING
    },
    Program {
        family: &["sshuttle", "pssh", "parallel-ssh", "pdsh", "clush", "dsh", "mussh"],
        rules: &[always(NeedsNetwork), when(AtLeast(1), Hides("a command that is run on other machines"))],
        examples: &[
            ("sshuttle -e 'rm -rf x' -r h 0/0", Expect::Opaque("on other machines")),
            ("pdsh -w h id", Expect::Opaque("on other machines")),
        ],
        ..ANY
    },
];

/// The tool that comes with a Kubernetes distribution.
fn tool(parsed: &Parsed<'_>) -> Vec<Effect> {
    use crate::reader::Value;
    let name = parsed.subcommand();
    let words = std::iter::once(Value::exact(name)).chain(parsed.from(0).iter().cloned());
    vec![Effect::runs(words.collect())]
}
