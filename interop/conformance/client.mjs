// The client of the suite: `haft` with one server over HTTP, whose tools are called. The suite
// appends the address of its server and names the scenario in the environment.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [haft, url] = process.argv.slice(2);
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const given = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');

const calls = {
  tools_call: [['add_numbers', { a: 5, b: 3 }]],
  'elicitation-sep1034-client-defaults': [['test_client_elicitation_defaults', {}]],
  'sse-retry': [['test_reconnection', {}]],
  'http-standard-headers': [['test_headers', {}]],
  'http-invalid-tool-headers': [['valid_tool', { region: 'north' }]],
  'request-metadata': [['test_tool', {}]],
};

const home = mkdtempSync(join(tmpdir(), 'haft-conformance-'));
const folder = join(home, 'work');
mkdirSync(folder);
const config = join(home, 'config.toml');
// The addresses of the suite are those of this machine.
writeFileSync(config, `[[mcp.servers]]\nid = "suite"\nurl = ${JSON.stringify(url)}\ntrust = true\n`);

function run(...words) {
  const env = { PATH: process.env.PATH, HOME: home };
  const ended = spawnSync(haft, ['--config', config, '--workdir', folder, ...words], { env, encoding: 'utf8' });
  process.stdout.write(ended.stdout ?? '');
  process.stderr.write(ended.stderr ?? '');
  return ended.status ?? 1;
}

let status = run('mcp', 'test');
const wanted = (given.toolCalls ?? []).map((call) => [call.name, call.arguments ?? {}]);
for (const [tool, parameters] of [...(calls[scenario] ?? []), ...wanted]) {
  status = run('call', `mcp_suite_${tool}`, '--yes', JSON.stringify(parameters));
}
rmSync(home, { recursive: true, force: true });
process.exit(status);
