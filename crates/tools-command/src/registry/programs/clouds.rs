//! Cloud clients: commands that remove, change or show what others use.

use crate::reader::Value;
use crate::registry::prelude::*;
use tools_core::Access;

const REMOVES: Does = Says(Consequence::DeletesForOthers, "removes resources");
const CHANGES: Does = Says(Consequence::DeletesForOthers, "changes what others may use");

pub(super) static ALL: &[Program] = &[
    Program {
        family: &[
            "terraform", "tofu", "terragrunt", "pulumi", "cdk", "cdktf", "sam", "serverless", "sls", "packer",
            "vagrant", "crossplane",
        ],
        flags: "-help -version -json -raw --show-secrets -*",
        valued: "-plugin-dir -cli-config-file -out -from-module -C|--cwd --cwd -s|--stack -c|--config --app -p --profile --region --stage --context",
        rules: &[
            always(ObeysAround(
                "*.tf *.tf.json **/terragrunt.hcl Pulumi.yaml cdk.json cdktf.json serverless.* samconfig.toml *.pkr.hcl Vagrantfile",
            )),
            when(Operand("destroy delete remove rm halt taint untaint force-unlock down"), REMOVES),
            when(
                First(
                    "apply import up update refresh deploy sync push run-all provision reload resume suspend cancel login snapshot box invoke convert bootstrap watch rollback",
                ),
                CHANGES,
            ),
            when_all(
                &[
                    First("state workspace stack"),
                    Operand(
                        "mv move edit repair protect unprotect upgrade push replace-provider pull new select init import rename change-secrets-provider tag unselect graph export run apply",
                    ),
                ],
                CHANGES,
            ),
            when(First("build"), By(built)),
            when(First("fmt"), By(super::checks::formatted)),
            when(Has("-from-module"), Unpacks(At::Path("."))),
            when(First("logout login"), IDENTITY),
            when(Operand("publish"), PUBLISHES),
            when(
                First("console exec ssh powershell rdp winrm plugin plugins run test"),
                Hides("a tool that runs what it is told to"),
            ),
            when(Has("--app"), RunsLine(At::Value("--app"))),
            when(Has("-plugin-dir -cli-config-file"), Hides("a tool with providers of its own choice")),
            always(Writes(At::Value("-out"))),
            always(Connects(At::ValueRest("-from-module", "git::"))),
            when_all(&[First("output"), Has("-json -raw")], SHOWS),
            when(Has("--show-secrets"), SHOWS),
        ],
        prints_as: &[("tofu terragrunt", "terraform")],
        examples: &[
            ("terraform destroy -auto-approve", Expect::Asks("removes resources")),
            ("terraform -chdir=x destroy", Expect::Asks("removes resources")),
            ("terraform apply", Expect::Asks("changes what others may use")),
            ("terraform state rm x", Expect::Asks("removes resources")),
            ("pulumi up -y", Expect::Asks("changes what others may use")),
            ("terraform state mv a b", Expect::Asks("changes what others may use")),
            ("sam sync", Expect::Asks("changes what others may use")),
            ("pulumi stack output --show-secrets", Expect::Asks("shows credentials")),
            ("vagrant destroy -f", Expect::Asks("removes resources")),
            ("packer build x", Expect::Asks("changes what others may use")),
            ("terraform console", Expect::Opaque("runs what it is told to")),
            ("terraform destroy -target -help", Expect::Asks("removes resources")),
            ("terraform init -plugin-dir=x", Expect::Opaque("of its own choice")),
            ("terraform plan -out=.envrc", Expect::Writes(".envrc")),
            ("packer plugins install x", Expect::Opaque("runs what it is told to")),
            ("terraform fmt .envrc", Expect::Writes(".envrc")),
        ],
        plain_lines: &[
            "terraform state list", "sam build", "pulumi stack ls", "terraform apply -help",
            "terraform plan -no-color", "terraform validate", "terraform fmt -check",
        ],
        ..Program::SINGLE
    },
    Program {
        family: &[
            "aws", "gcloud", "gsutil", "az", "bq", "doctl", "s3cmd", "rclone", "mc", "ibmcloud", "oci", "linode-cli",
            "hcloud", "scw", "exo", "azcopy", "s5cmd", "b2", "aliyun", "vultr", "vultr-cli", "upctl", "civo",
        ],
        flags: "--dryrun|--dry-run --with-decryption -*",
        valued: "--profile --region --output --endpoint-url --query --project --account --subscription --format --configuration -o --config --endpoint --ca-bundle --cli-read-timeout --cli-connect-timeout --color --verbosity --impersonate-service-account --access-token-file --password-command",
        rules: &[
            when_all(
                &[
                    Operand(
                        "rm rb delete purge terminate-instances del remove destroy deletefile rmdir rmdirs cleanup dedupe delete-bucket cancel deregister disable release kill terminate",
                    ),
                    Lacks("--dryrun"),
                ],
                REMOVES,
            ),
            when_all(
                &[
                    OperandStarts(
                        "delete- remove- terminate- purge- batch-delete deregister- revoke- detach- disassociate- cancel- stop- disable- empty-",
                    ),
                    Lacks("--dryrun"),
                ],
                REMOVES,
            ),
            when_all(
                &[
                    Operand(
                        "deploy create update import restore patch set put resize start stop restart publish mb add-iam-policy-binding set-iam-policy attach enable reset sync move mv migrate mirror bisync rewrite setacl invoke submit up upload upload-batch",
                    ),
                    Lacks("--dryrun"),
                ],
                CHANGES,
            ),
            when_all(
                &[
                    OperandStarts(
                        "create- update- put- modify- attach- associate- run-instances start- reboot- register- import- restore- send- publish- enable- set- add- invoke copy- authorize- replace- reset- upload- tag-resource untag-resource deploy",
                    ),
                    Lacks("--dryrun"),
                ],
                CHANGES,
            ),
            when(
                Operand("login logout configure auth sso-login authorize init credentials activate-service-account"),
                IDENTITY,
            ),
            when(
                Operand(
                    "print-access-token print-identity-token get-secret-value get-login-password get-session-token export-credentials get-access-token get-credentials list-keys show-keys decrypt get-parameters-by-path assume-role create-access-key get-caller-token versions-access",
                ),
                SHOWS,
            ),
            when(
                Operand(
                    "ssh scp start-session execute-command exec bastion interactive shell serve rcd mount nfsmount",
                ),
                Hides("a cloud tool that runs a command or changes its settings"),
            ),
            when(Has("--with-decryption"), SHOWS),
            when_all(&[Operand("secret secrets"), Operand("show download access")], SHOWS),
            when(Lacks("--dryrun"), By(uploaded)),
            when(Lacks("--dryrun"), By(downloaded)),
            when(Lacks("--dryrun"), By(operated)),
            when(First("load mk"), CHANGES),
            when_all(&[First("acl defacl iam acr extension"), Operand("ch add build run")], CHANGES),
            always(Fetches(At::Value("--endpoint-url --endpoint"))),
            when_all(
                &[First("query"), OperandHas("delete drop truncate update insert merge alter create export load")],
                CHANGES,
            ),
            when(Has("--password-command"), Hides("a cloud tool that runs a command or changes its settings")),
            always(RunsLine(At::Value("--password-command"))),
        ],
        examples: &[
            ("aws s3 rm s3://b --recursive", Expect::Asks("removes resources")),
            ("aws --profile x ec2 terminate-instances --instance-ids y", Expect::Asks("removes resources")),
            ("gcloud compute instances delete x", Expect::Asks("removes resources")),
            ("gcloud auth print-access-token", Expect::Asks("shows credentials")),
            ("aws secretsmanager get-secret-value --secret-id x", Expect::Asks("shows credentials")),
            ("az group delete -n x", Expect::Asks("removes resources")),
            ("rclone purge x:y", Expect::Asks("removes resources")),
            ("rclone sync a b:c", Expect::Asks("changes what others may use")),
            ("rclone --password-command 'rm -rf x' ls y:", Expect::Runs("rm -rf x")),
            ("gsutil rm gs://x", Expect::Asks("removes resources")),
            ("aws ec2 run-instances --image-id x", Expect::Asks("changes what others may use")),
            ("gcloud compute ssh x", Expect::Opaque("runs a command")),
            ("aws s3 cp x s3://b/x", Expect::Asks("changes what others may use")),
            ("gsutil -m rsync -d . gs://b", Expect::Asks("changes what others may use")),
            ("rclone copy a b:c", Expect::Asks("changes what others may use")),
            ("az storage blob upload -f x", Expect::Asks("changes what others may use")),
            ("aws route53 change-resource-record-sets --x", Expect::Asks("changes what others may use")),
            ("aws --region x kms schedule-key-deletion --y", Expect::Asks("changes what others may use")),
            ("aws s3 cp s3://b/x .envrc", Expect::Writes(".envrc")),
            ("aws s3 presign s3://b/x", Expect::Asks("changes what others may use")),
            ("aws --endpoint-url http://evil s3 ls", Expect::Connects("http://evil")),
            ("vultr instance delete x", Expect::Asks("removes resources")),
            ("bq load x y", Expect::Asks("changes what others may use")),
            ("az keyvault secret show -n x", Expect::Asks("shows credentials")),
            ("aws ssm get-parameter --name x --with-decryption", Expect::Asks("shows credentials")),
            ("bq query 'delete from x where true'", Expect::Asks("changes what others may use")),
        ],
        plain_lines: &[
            "aws ec2 describe-instances --filters x", "aws logs tail x", "bq query 'select 1'", "aws s3 cp s3://b/x .",
            "rclone copy b:c a", "aws s3 ls s3://bucket/", "aws s3 rm --dryrun s3://b", "az vm list",
        ],
        ..Program::EXACT
    },
    Program {
        family: &[
            "flyctl", "fly", "func", "dokku", "shuttle", "heroku", "vercel", "vc", "netlify", "wrangler", "firebase",
            "railway", "render", "surge", "now", "amplify", "supabase", "eb", "cf", "ntl", "nuxthub", "workers",
        ],
        flags: "-h|--help -v|--version --dry-run --linked -*",
        valued: "--db-url -a|--app -c|--config -o|--org --project -p --token -t -S|--scope --cwd -e|--env --stage",
        rules: &[
            when_all(
                &[
                    Operand(
                        "destroy delete rm remove purge apps:destroy pg:reset db:reset disable unset down database:remove firestore:delete functions:delete hosting:disable addons:destroy terminate sites:delete env:unset teardown",
                    ),
                    Lacks("--dry-run"),
                ],
                REMOVES,
            ),
            when_all(
                &[
                    First(
                        "deploy publish release launch up push promote rollback redeploy create hosting:clone pages functions db link alias",
                    ),
                    Lacks("--dry-run"),
                ],
                PUBLISHES,
            ),
            when_all(
                &[
                    OperandStarts(
                        "deploy publish releases: deploy: ps:scale config:set config:unset env:set env:import container: projects:create ext:",
                    ),
                    Lacks("--dry-run"),
                ],
                PUBLISHES,
            ),
            when_all(&[First("variables scale"), Operand("set count vm memory")], CHANGES),
            when(Has("--linked --db-url"), CHANGES),
            when_all(
                &[
                    First("d1 kv r2 queues vectorize workflows hyperdrive"),
                    Operand("execute put create bulk import export migrations apply update send insert upsert"),
                ],
                CHANGES,
            ),
            when(Lacks("--dry-run --help -h --version -v"), By(deployed_by_itself)),
            when(
                First("login logout auth auth:login auth:logout secrets secret env tokens switch whoami-token"),
                IDENTITY,
            ),
            when(
                Operand("auth:token config:get env:get secrets:list credentials credentials:url pg:credentials:url"),
                SHOWS,
            ),
            when(First("local:run"), RunsWords(At::From(1))),
            when(
                First("ssh console run exec shell run:detached ps:exec dev:exec emulators:exec login:ci"),
                Hides("a cloud tool that runs a command or changes its settings"),
            ),
        ],
        examples: &[
            ("fly deploy", Expect::Asks("publishes")),
            ("fly apps destroy x", Expect::Asks("removes resources")),
            ("heroku pg:reset", Expect::Asks("removes resources")),
            ("wrangler publish", Expect::Asks("publishes")),
            ("netlify --cwd x deploy", Expect::Asks("publishes")),
            ("firebase deploy --only hosting", Expect::Asks("publishes")),
            ("heroku auth:token", Expect::Asks("shows credentials")),
            ("vercel --prod", Expect::Asks("publishes")),
            ("find . -exec vercel --prod {} +", Expect::Asks("publishes")),
            ("vercel \"$d\"", Expect::Asks("publishes")),
            ("surge ./dist", Expect::Asks("publishes")),
            ("surge teardown x.surge.sh", Expect::Asks("removes resources")),
            ("fly scale count 0", Expect::Asks("changes what others may use")),
            ("supabase migration up --linked", Expect::Asks("changes what others may use")),
            ("func azure functionapp publish x", Expect::Asks("publishes")),
            ("vercel alias set a b", Expect::Asks("publishes")),
            ("heroku container:push web", Expect::Asks("publishes")),
            ("dokku apps:destroy x", Expect::Asks("removes resources")),
            ("netlify sites:delete", Expect::Asks("removes resources")),
            ("wrangler d1 execute x --command y", Expect::Asks("changes what others may use")),
            ("heroku local:run sudo id", Expect::Denied("takes other rights")),
            ("heroku run bash", Expect::Opaque("runs a command")),
        ],
        plain_lines: &["fly scale show", "vercel --version", "netlify", "vercel dev", "wrangler dev", "heroku logs"],
        ..Program::EXACT
    },
    Program {
        family: &[
            "ansible", "ansible-playbook", "ansible-console", "ansible-galaxy", "ansible-pull", "ansible-test",
            "ansible-vault", "ansible-inventory",
        ],
        flags: "-C|--check -D|--diff --list-hosts --list-tasks --list-tags --syntax-check -*",
        valued: "-i|--inventory -l|--limit -e|--extra-vars -u|--user -t|--tags --skip-tags -f|--forks -M|--module-path -m|--module-name -a|--args -c|--connection --vault-password-file --vault-id -T --ssh-common-args --private-key --start-at-task -U -d --playbook-dir -p|--roles-path -r",
        rules: &[
            always(ObeysAround("ansible.cfg")),
            when(
                Has("--module-path --args --connection --vault-password-file --vault-id --ssh-common-args"),
                Hides("`ansible` that runs what it is told to"),
            ),
            when_all(
                &[
                    Lacks("--check --list-hosts --list-tasks --list-tags --syntax-check"),
                    FirstIsNot(
                        "list info search view init encrypt decrypt rekey edit create encrypt_string sanity units collection role install remove import setup delete login",
                    ),
                ],
                By(played),
            ),
            when(First("decrypt view"), SHOWS),
            when(First("shell"), Hides("`ansible` that runs what it is told to")),
            when(First("import delete login publish"), PUBLISHES),
            when(Operand("publish"), PUBLISHES),
        ],
        examples: &[
            ("ansible-playbook site.yml", Expect::Asks("changes what others may use")),
            ("ansible all -a 'rm -rf x'", Expect::Opaque("runs what it is told to")),
            ("ansible-test shell", Expect::Opaque("runs what it is told to")),
            ("ansible-vault view x", Expect::Asks("shows credentials")),
            ("ansible-galaxy collection publish x", Expect::Asks("publishes")),
        ],
        plain_lines: &["ansible-playbook -i hosts site.yml --check"],
        ..Program::GNU
    },
];

/// Images that are built in a place where others find them; `sam build` creates local files.
fn built(parsed: &Parsed<'_>) -> Vec<Effect> {
    let says = || Effect::says(Consequence::DeletesForOthers, "changes what others may use");
    (parsed.command.name() == "packer").then(says).into_iter().collect()
}

/// Files that are copied to a store, whose address is the last operand.
fn uploaded(parsed: &Parsed<'_>) -> Vec<Effect> {
    let copies = parsed.operands().any(|word| matches!(word.text.as_str(), "cp" | "copy" | "rsync" | "copyto"));
    let is_there = parsed.operands().next_back().is_some_and(|last| is_address(last, parsed));
    let is_there = is_there && parsed.operands.len() > 2;
    let says = || Effect::says(Consequence::DeletesForOthers, "changes what others may use");
    (copies && is_there).then(says).into_iter().collect()
}

/// Files that are copied from a store. Their folder follows the store's address.
fn downloaded(parsed: &Parsed<'_>) -> Vec<Effect> {
    let operands: Vec<&Value> = parsed.operands().collect();
    let has = |verbs: &[&str]| operands.iter().any(|word| verbs.contains(&word.text.as_str()));
    let copies = has(&["cp", "copy", "copyto", "rsync", "sync", "mirror", "mv", "move"]);
    let gets = has(&["get", "download", "download-batch"]);
    let source = operands.iter().position(|operand| is_address(operand, parsed));
    let target = source.and_then(|at| operands.get(at + 1)).filter(|target| !is_address(target, parsed));
    let folder = target.map(|target| (*target).clone()).or_else(|| gets.then(|| Value::exact(".")));
    let filled = |folder: Value| [Effect::Unpacks(folder.clone()), Effect::path(folder, Access::Write)];
    folder.filter(|_| copies || gets).map(filled).into_iter().flatten().collect()
}

/// Whether an operand is in a store.
fn is_address(operand: &Value, parsed: &Parsed<'_>) -> bool {
    operand.text.contains("://") || parsed.command.name() == "rclone" && operand.text.contains(':')
}

/// Programs that deploy the folder unless a subcommand says otherwise.
fn deployed_by_itself(parsed: &Parsed<'_>) -> Vec<Effect> {
    let first = parsed.operand(0).map(|word| word.text.as_str()).unwrap_or_default();
    let deploys = match parsed.command.name() {
        // A folder in place of a subcommand, which may be known only when it runs.
        "vercel" | "vc" | "now" => first.is_empty() || first.contains(|c: char| !c.is_ascii_alphanumeric() && c != '-'),
        "surge" => !matches!(first, "list" | "whoami" | "login" | "logout" | "token" | "teardown"),
        _ => false,
    };
    deploys.then(|| Effect::is(Consequence::Publishes)).into_iter().collect()
}

/// Playbooks and modules that change hosts.
fn played(parsed: &Parsed<'_>) -> Vec<Effect> {
    let plays = matches!(parsed.command.name(), "ansible" | "ansible-playbook" | "ansible-pull" | "ansible-console");
    let says = || Effect::says(Consequence::DeletesForOthers, "changes what others may use");
    plays.then(says).into_iter().collect()
}

/// Read-only operations of `aws`, by their beginnings.
const LOOKS: [&str; 26] = [
    "describe-", "get-", "list-", "ls", "head-", "lookup-", "search-", "search", "scan", "query", "batch-get-",
    "filter-", "test-", "validate-", "simulate-", "estimate-", "check-", "view-", "preview-", "decode-", "wait",
    "help", "tail", "select-", "generate-", "cp",
];

/// Effect of `aws SERVICE OPERATION`, unless the operation is known to be read-only.
fn operated(parsed: &Parsed<'_>) -> Vec<Effect> {
    let Some(operation) = parsed.operand(1).filter(|_| parsed.command.name() == "aws") else { return Vec::new() };
    let service = parsed.operand(0).map_or("", |service| service.text.as_str());
    // These services only change settings, which another rule covers.
    let is_own = matches!(service, "configure" | "sso" | "login" | "logout" | "history" | "help");
    let is_look = LOOKS.iter().any(|start| operation.text.starts_with(start));
    if is_own || is_look {
        Vec::new()
    } else {
        vec![Effect::says(Consequence::DeletesForOthers, "changes what others may use")]
    }
}
