#!/usr/bin/env node
// Starts the binary of the package for this platform, with the same arguments, streams and exit code.
"use strict";

const { spawnSync } = require("node:child_process");

const name = `haft-cli-${process.platform}-${process.arch}`;
let binary;
try {
  binary = require.resolve(`${name}/bin/haft`);
} catch {
  console.error(`haft: the package ${name} is not installed: there is none for this platform, or optional packages are switched off`);
  process.exit(1);
}
// Ctrl-C and a hang-up reach the binary by itself; this process waits for what it makes of them.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
const ended = spawnSync(binary, process.argv.slice(2), { stdio: "inherit" });
if (ended.error) {
  console.error(`haft: ${ended.error.message}`);
  process.exit(1);
}
process.exit(ended.status ?? 128 + (require("node:os").constants.signals[ended.signal] ?? 0));
