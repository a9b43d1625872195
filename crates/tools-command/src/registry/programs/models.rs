//! Hubs for models and data sets, services that run them, and agents: what is sent to them, and
//! what they run.

use crate::registry::prelude::*;

const ANY: Program = Program { flags: "-h|--help -v|--version -V -*", ..Program::EXACT };
const ASKS: ArgumentCondition = Lacks("-h --help -v --version -V");
const REMOVES: Does = Says(Consequence::DeletesForOthers, "removes what others may use");
const RUNS: &str = "a service that runs code of the workspace elsewhere";
const AGENT: &str = "another agent, which runs what its model says";

pub(super) static ALL: &[Program] = &[
    Program {
        family: &[
            "huggingface-cli", "hf", "kaggle", "wandb", "dvc", "comet", "neptune", "clearml-data", "roboflow",
            "replicate", "cog",
        ],
        flags: "-h|--help -V|--version --dry-run -*",
        valued: "--repo-type --revision --token --local-dir --cache-dir -p|--path -m|--message -c|--competition -d|--dataset -k|--kernel -f|--file \
                     -r|--remote -j|--jobs -e|--entity --project --cd -t",
        rules: &[
            when_all(
                &[
                    Operand(
                        "upload upload-large-folder push submit publish sync create version tag job launch agent share import",
                    ),
                    Lacks("-h --help"),
                ],
                PUBLISHES,
            ),
            when_all(
                &[Operand("delete rm remove delete-cache prune gc destroy cancel stop"), Lacks("-h --help")],
                REMOVES,
            ),
            when(Operand("login logout auth verify"), IDENTITY),
            when_all(&[First("run jobs endpoints"), ASKS], Hides(RUNS)),
            always(NeedsNetwork),
            always(Writes(At::Value("--local-dir --path"))),
            when(Has("--local-dir"), Unpacks(At::Value("--local-dir"))),
            when_all(
                &[First("datasets competitions kernels"), Operand("download pull output")],
                Unpacks(At::Value("--path")),
            ),
        ],
        examples: &[
            ("hf upload o/x .", Expect::Asks("publishes")),
            ("huggingface-cli upload o/x model.bin", Expect::Asks("publishes")),
            ("hf repo delete o/x", Expect::Asks("others may use")),
            ("huggingface-cli login", Expect::Asks("accounts or credentials")),
            ("kaggle kernels push -p x", Expect::Asks("publishes")),
            ("dvc push", Expect::Asks("publishes")),
            ("dvc --cd x push", Expect::Asks("publishes")),
            ("wandb sync x", Expect::Asks("publishes")),
            ("dvc gc -w", Expect::Asks("others may use")),
        ],
        plain_lines: &["hf download o/x", "dvc pull", "dvc repro", "kaggle competitions list"],
        ..Program::EXACT
    },
    Program {
        family: &[
            "modal", "sky", "runpodctl", "mlflow", "bentoml", "beam", "lightning", "vastai", "cerebrium", "ray",
            "metaflow", "zenml", "prefect", "dagster", "airflow",
        ],
        rules: &[
            when_all(
                &[
                    Operand("deploy push publish launch up create submit apply register build-and-push containerize"),
                    ASKS,
                ],
                PUBLISHES,
            ),
            when_all(
                &[Operand("delete destroy rm remove down stop terminate kill cancel purge clear reset"), ASKS],
                REMOVES,
            ),
            when_all(&[Operand("login logout token setup auth secret secrets connections users"), ASKS], IDENTITY),
            when_all(
                &[First("run exec shell container serve job start trigger backfill dags tasks flow"), ASKS],
                Hides(RUNS),
            ),
            when_all(&[First("models deployments deployment"), ASKS], Hides(RUNS)),
        ],
        examples: &[
            ("modal deploy x.py", Expect::Asks("publishes")),
            ("modal run x.py", Expect::Opaque("elsewhere")),
            ("sky launch x", Expect::Asks("publishes")),
            ("sky down x", Expect::Asks("others may use")),
            ("mlflow models serve -m x", Expect::Opaque("elsewhere")),
            ("runpodctl create pod", Expect::Asks("publishes")),
        ],
        plain_lines: &["modal app list", "mlflow ui"],
        ..ANY
    },
    Program {
        family: &["ollama", "lms", "llamafile", "llama-server", "llama-cli", "vllm"],
        rules: &[
            when(First("push signin signout"), PUBLISHES),
            when(First("rm unload"), Says(Consequence::Destroys, "removes a model")),
            when(First("pull get run serve launch"), NeedsNetwork),
        ],
        examples: &[("ollama push o/x", Expect::Asks("publishes")), ("ollama rm x", Expect::Asks("removes a model"))],
        plain_lines: &["ollama run x hello", "ollama list"],
        ..ANY
    },
    Program {
        family: &[
            "aider", "amp", "auggie", "claude", "cline", "codex", "copilot-cli", "crush", "cursor-agent", "devin",
            "droid", "gemini", "goose-agent", "kilocode", "kiro-cli", "open-interpreter", "opencode", "openhands",
            "plandex", "qwen", "qodo", "sgpt", "swe-agent", "vibe",
        ],
        flags: "-h|--help -v|--version -V -*",
        valued: "-m|--model -c|--config -C|--cd -p|--profile --sandbox",
        rules: &[
            when(Operand("login logout setup-token"), IDENTITY),
            when_all(
                &[
                    ASKS,
                    FirstIsNot(
                        "login logout auth setup-token doctor models session sessions agent stats export debug features completion help",
                    ),
                ],
                Hides(AGENT),
            ),
        ],
        examples: &[
            ("claude -p 'tidy up'", Expect::Opaque("another agent")),
            ("codex exec x", Expect::Opaque("another agent")),
            ("codex sandbox linux ls", Expect::Opaque("another agent")),
            ("gemini --model x -p y", Expect::Opaque("another agent")),
            ("aider --yes x.py", Expect::Opaque("another agent")),
            ("opencode auth login", Expect::Asks("accounts or credentials")),
        ],
        plain_lines: &["claude --version", "claude doctor"],
        ..Program::EXACT
    },
];
