// The client of the suite: `haft` with one server over HTTP, whose tools are called. The suite
// appends the address of its server and names the scenario in the environment.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [haft, url] = process.argv.slice(2);
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const given = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');

const calls = {
  tools_call: [['add_numbers', { a: 5, b: 3 }]],
  'elicitation-sep1034-client-defaults': [['test_client_elicitation_defaults', {}]],
  'sse-retry': [['test_reconnection', {}]],
  'sep-2322-client-request-state': ['echo_state', 'no_state', 'unrelated', 'no_result_type'].map((name) => [`test_mrtr_${name}`, {}]),
  'http-standard-headers': [['test_headers', {}]],
  'http-invalid-tool-headers': [['valid_tool', { region: 'north' }]],
  'request-metadata': [['test_tool', {}]],
};

const home = mkdtempSync(join(tmpdir(), 'haft-conformance-'));
const folder = join(home, 'work');
mkdirSync(folder);
const config = join(home, 'config.toml');
const env = { PATH: process.env.PATH, HOME: home };
const isAuth = scenario.startsWith('auth/');
const login = isAuth ? await section() : '';
// The addresses of the suite are those of this machine; its authorization servers have other ports.
const server = `[[mcp.servers]]\nid = "suite"\nurl = ${JSON.stringify(url)}\ntrust = true\nprivate = ${isAuth}\nelicitation = true\n`;
writeFileSync(config, server + login);

// What an operator writes down of the client and its authorization server.
async function section() {
  const lines = ['[mcp.servers.oauth]', 'client_metadata_url = "https://conformance-test.local/client-metadata.json"'];
  const said = (key, value) => lines.push(`${key} = ${JSON.stringify(value)}`);
  if (scenario.startsWith('auth/client-credentials')) said('grant', 'client_credentials');
  if (given.client_id) said('client_id', given.client_id);
  if (given.client_secret ?? given.private_key_pem) {
    const metadata = new URL('/.well-known/oauth-protected-resource/mcp', url);
    said('issuer', given.issuer ?? (await (await fetch(metadata)).json()).authorization_servers[0]);
  }
  for (const [key, secret] of [['client_secret_env', given.client_secret], ['private_key_env', given.private_key_pem]]) {
    if (secret === undefined) continue;
    said(key, key.toUpperCase());
    env[key.toUpperCase()] = secret;
  }
  return `${lines.join('\n')}\n`;
}

function run(...words) {
  const ended = spawnSync(haft, ['--config', config, '--workdir', folder, ...words], { env, encoding: 'utf8' });
  process.stdout.write(ended.stdout ?? '');
  process.stderr.write(ended.stderr ?? '');
  return { status: ended.status ?? 1, said: `${ended.stdout}${ended.stderr}` };
}

// Logs in as a person does who agrees to everything, another authorization server included.
async function loggedIn(...more) {
  const words = ['--config', config, '--workdir', folder, '--json', 'mcp', 'login', 'suite', ...more];
  const child = spawn(haft, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (data) => (errors += data));
  const ended = new Promise((resolve) => child.on('close', resolve));
  for await (const line of createInterface({ input: child.stdout })) {
    console.log(line);
    const said = JSON.parse(line);
    if (said.url && !said.ok) fetch(said.url).catch((error) => console.error(String(error)));
  }
  const status = await ended;
  process.stderr.write(errors);
  const other = errors.match(/--accept-issuer ([^`\s]+)`/);
  return status !== 0 && other && more.length === 0 ? loggedIn('--accept-issuer', other[1]) : status;
}

// Does what was asked for, and logs in as often as the program says so.
async function done(...words) {
  for (;;) {
    const { status, said } = run(...words);
    if (!said.includes('`haft mcp login suite`')) return status;
    if ((await loggedIn()) !== 0) return 1;
  }
}

// Calls a tool over MCP, as a host does whose user leaves each form as it is.
async function served(tool, parameters) {
  const child = spawn(haft, ['--config', config, 'mcp', 'serve', '--workdir', folder], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'conformance', version: '0' };
  const capabilities = { elicitation: { form: {} } };
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities, clientInfo } });
  let status = 1;
  for await (const line of createInterface({ input: child.stdout })) {
    const { id, method, params, result, error } = JSON.parse(line);
    if (method === 'elicitation/create') {
      // Of a question whether the call may run, the answer is yes.
      const isGate = params.requestedSchema.properties.decision !== undefined;
      send({ id, result: { action: 'accept', content: isGate ? { decision: 'once' } : {} } });
    } else if (id === 1) {
      send({ method: 'notifications/initialized' });
      send({ id: 2, method: 'tools/call', params: { name: `mcp_suite_${tool}`, arguments: parameters } });
    } else if (id === 2) {
      console.log(line);
      status = error || result.isError ? 1 : 0;
      child.stdin.end();
    }
  }
  return status;
}

const asks = ['elicitation-sep1034-client-defaults', 'sep-2322-client-request-state'];
let status = await done('mcp', 'test');
const wanted = (given.toolCalls ?? []).map((call) => [call.name, call.arguments ?? {}]);
const own = isAuth ? [['test-tool', {}]] : (calls[scenario] ?? []);
for (const [tool, parameters] of [...own, ...wanted]) {
  if (isAuth && status !== 0) break;
  // A parameter that is left out comes as null: what takes none is not sent.
  const sent = JSON.stringify(parameters, (_, value) => (value === null ? undefined : value));
  status = asks.includes(scenario)
    ? await served(tool, JSON.parse(sent))
    : await done('call', `mcp_suite_${tool}`, '--yes', sent);
}
rmSync(home, { recursive: true, force: true });
process.exit(status);
