//! Programs that run a command for another machine, a container of a project or with credentials of
//! an account.

use crate::registry::{
    ArgumentCondition::{AtLeast, Fed, First, Has, Operand},
    At, Consequence, Does, Expect, Otherwise, Program, Syntax, always, command, each, ruled, when,
};

const ANY: Syntax = Syntax { flags: "-*", ..Syntax::EXACT };
const REMOVES: Does = Does::Says(Consequence::DeletesForOthers, "removes a machine");

pub(super) static ALL: &[Program] = &[
    Program {
        names: &[
            "multipass", "limactl", "colima", "orb", "orbctl", "podman-machine", "docker-machine", "krunvm", "vmrun",
            "prlctl", "tart",
        ],
        is_family: true,
        syntax: ANY,
        rules: &[
            when(&[First("exec shell ssh run login sudo start-shell"), AtLeast(3)], Does::RunsThere(At::From(2))),
            when(&[First("shell ssh login"), Fed], Does::Hides("a machine that runs what it reads")),
            when(&[First("delete purge rm remove destroy prune factory-reset")], REMOVES),
            when(&[First("mount")], Does::Hides("a machine with files of this one")),
        ],
        examples: &[
            ("multipass exec vm -- rm -rf x", Expect::Asks("runs `rm -rf x` elsewhere")),
            ("limactl shell default rm -rf x", Expect::Asks("runs `rm -rf x` elsewhere")),
            ("multipass delete vm", Expect::Asks("removes a machine")),
            ("multipass mount / vm", Expect::Opaque("files of this one")),
            ("limactl shell default uname -a", Expect::Plain),
            ("multipass list", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &[
            "devcontainer", "ddev", "lando", "sail", "okteto", "devspace", "devpod", "distrobox-enter", "toolbox-run",
        ],
        is_family: true,
        syntax: Syntax {
            flags: "-*",
            valued: "--workspace-folder --container-id --config --id-label --override-config -s|--service -d|--dir -c|--command -n|--namespace -u|--user",
            ..Syntax::EXACT
        },
        rules: &[
            when(
                &[First("exec ssh enter run shell composer php artisan drush npm yarn"), AtLeast(2)],
                Does::RunsThere(At::From(1)),
            ),
            always(Does::RunsLineThere(At::Value("-c"))),
            when(&[First("delete poweroff destroy clean down")], REMOVES),
            when(&[First("push deploy share publish")], Does::Is(Consequence::Publishes)),
            when(&[Has("--config --override-config")], Does::Hides("a container with settings from elsewhere")),
        ],
        examples: &[
            ("ddev exec rm -rf x", Expect::Asks("runs `rm -rf x` elsewhere")),
            ("lando ssh -c 'rm -rf x'", Expect::Asks("runs `rm -rf x` elsewhere")),
            ("ddev delete", Expect::Asks("removes a machine")),
            ("devcontainer up --override-config x", Expect::Opaque("settings from elsewhere")),
            ("devcontainer exec --workspace-folder . npm test", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &[
            "kubie", "telepresence", "mirrord", "vcluster", "saml2aws", "aws-sso", "awsume", "vaultenv", "envconsul",
            "envkey-source", "tsh",
        ],
        is_family: true,
        syntax: Syntax {
            flags: "-*",
            valued: "-p|--profile -n|--namespace -t|--target -f|--config-file --config -a|--idp-account --exec-profile --account --role --region \
                     --secrets-file --host --port --run --run-shell --token --steal -l|--login --proxy --user --cluster",
            ..Syntax::EXACT
        },
        rules: &[
            always(Does::RunsWords(At::AfterDashes)),
            always(Does::RunsLine(At::Value("--run"))),
            when(
                &[First("exec"), AtLeast(2)],
                Does::Hides("a program that starts another one behind options that are not known"),
            ),
            when(&[First("ssh"), AtLeast(3)], Does::RunsThere(At::From(2))),
            when(&[First("ssh scp login")], Does::NeedsNetwork),
            when(&[Has("--config-file")], Does::Hides("settings from elsewhere")),
        ],
        examples: &[
            ("mirrord exec -t pod/x -- sudo id", Expect::Denied("takes other rights")),
            ("saml2aws exec -- sudo id", Expect::Denied("takes other rights")),
            ("telepresence --run 'rm -rf x'", Expect::Runs("rm -rf x")),
            ("kubie exec ctx ns id", Expect::Opaque("behind options that are not known")),
            ("tsh ssh me@h rm -rf x", Expect::Asks("runs `rm -rf x` elsewhere")),
            ("kubie ctx x", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["k3s", "microk8s", "k0s", "minikube-kubectl", "rke2"],
        is_family: true,
        syntax: Syntax { flags: "-*", ..Syntax::LEADING },
        subcommands: &[
            command("kubectl crictl ctr helm kc", Syntax::LEADING, &[always(Does::By(tool))]),
            each("status version inspect check-config config help completion"),
            ruled(
                "enable disable start stop server agent reset refresh-certs add-node remove-node join leave \
                 etcd-snapshot secrets-encrypt certificate token install kubeconfig",
                &[always(Does::Is(Consequence::ChangesSystem))],
            ),
        ],
        otherwise: Otherwise::Opaque("a plug-in"),
        examples: &[
            ("k3s kubectl delete pod x", Expect::Asks("removes resources")),
            ("microk8s enable dns", Expect::Asks("changes the system")),
            ("k3s frob", Expect::Opaque("a plug-in")),
            ("microk8s kubectl get pods", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["consul", "nomad", "etcdctl", "zkCli.sh", "bao"],
        is_family: true,
        syntax: Syntax {
            flags: "-*",
            valued: "-address -http-addr -token -region -namespace -type -key -name -prefix -task -job -group -child-exit-code -timeout -service \
                     --endpoints --cert --key --cacert --user --dial-timeout",
            style: crate::registry::Style::Single,
            ..Syntax::GNU
        },
        rules: &[
            always(Does::RunsWords(At::AfterDashes)),
            when(&[First("watch lock"), AtLeast(2)], Does::Hides("a command that is run when something changes")),
            when(&[First("exec"), AtLeast(2)], Does::Hides("a command that is run on other machines")),
            when(&[First("alloc"), Operand("exec")], Does::Hides("a command that is run on other machines")),
            when(
                &[Operand(
                    "delete del rm run stop purge force-leave leave put promote fail dispatch revert scale drain eligibility maint import \
                     defrag compact move-leader member grant revoke bootstrap keyring gc reload",
                )],
                Does::Is(Consequence::DeletesForOthers),
            ),
        ],
        examples: &[
            ("consul watch -type=key -key=x id", Expect::Opaque("when something changes")),
            ("consul exec id", Expect::Opaque("on other machines")),
            ("nomad alloc exec x id", Expect::Opaque("on other machines")),
            ("consul kv delete x", Expect::Asks("others may use")),
            ("etcdctl watch x -- sudo id", Expect::Denied("takes other rights")),
            ("consul members", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["plink", "psftp", "pscp", "dbclient"],
        is_family: true,
        syntax: Syntax {
            flags: "-v -4 -6 -C -N -T -t -A -a -s -ssh -q -y -x -X -e",
            valued: "-P -l -pw -pwfile -i -L -R -D -m -J -p -c -b -hostkey -load -proxycmd",
            ..Syntax::LEADING
        },
        rules: &[
            always(Does::NeedsNetwork),
            always(Does::Connects(At::Nth(0))),
            when(
                &[Has("-proxycmd -J -m -b -load")],
                Does::Hides("a connection through a program, or with commands, of its own choice"),
            ),
            always(Does::RunsLineWithMore(At::Value("-proxycmd -J"))),
            always(Does::RunsLineThere(At::From(1))),
        ],
        examples: &[
            ("plink -proxycmd 'rm -rf x' h", Expect::Opaque("of its own choice")),
            ("dbclient -J 'rm -rf x' h", Expect::Runs("rm -rf x $@")),
            ("plink me@h rm -rf x", Expect::Asks("runs `rm -rf x` elsewhere")),
            ("plink me@h uptime", Expect::Connects("tcp://h")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["sshuttle", "pssh", "parallel-ssh", "pdsh", "clush", "dsh", "mussh"],
        is_family: true,
        syntax: ANY,
        rules: &[
            always(Does::NeedsNetwork),
            when(&[AtLeast(1)], Does::Hides("a command that is run on other machines")),
        ],
        examples: &[
            ("sshuttle -e 'rm -rf x' -r h 0/0", Expect::Opaque("on other machines")),
            ("pdsh -w h id", Expect::Opaque("on other machines")),
        ],
        ..Program::NEW
    },
];

/// The tool that a distribution of Kubernetes brings.
fn tool(parsed: &crate::registry::Parsed<'_>) -> Vec<crate::effect::Effect> {
    use crate::reader::Value;
    let name = parsed.subcommand();
    let words = std::iter::once(Value::exact(name)).chain(parsed.from(0).iter().cloned());
    vec![crate::effect::Effect::runs(words.collect())]
}
