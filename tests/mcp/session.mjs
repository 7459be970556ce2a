// session.mjs MODULES CLIENT TRANSPORT FOLDER …: one session of an official client with Loci.
//
// CLIENT: v1 (@modelcontextprotocol/sdk), legacy or modern (@modelcontextprotocol/client in that era).
// TRANSPORT: stdio, followed by the program and its arguments; or http, followed by the address and the token.
// FOLDER has files to mine. Ends with 0 when everything was as it should be.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const [modules, kind, transportKind, folder, ...rest] = process.argv.slice(2);
const require = createRequire(path.join(modules, 'x.js'));
const isFirst = kind === 'v1';

function makeTransport() {
  if (transportKind === 'stdio') {
    const { StdioClientTransport } =
      isFirst ? require('@modelcontextprotocol/sdk/client/stdio.js') : require('@modelcontextprotocol/client/stdio');
    return new StdioClientTransport({ command: rest[0], args: rest.slice(1), env: process.env, stderr: 'inherit' });
  }
  const { StreamableHTTPClientTransport } =
    isFirst ? require('@modelcontextprotocol/sdk/client/streamableHttp.js') : require('@modelcontextprotocol/client');
  const headers = rest[1] ? { Authorization: `Bearer ${rest[1]}` } : {};
  return new StreamableHTTPClientTransport(new URL(rest[0]), { requestInit: { headers } });
}

function makeClient() {
  const info = { name: 'loci-test', version: '1.0.0' };
  if (isFirst) return new (require('@modelcontextprotocol/sdk/client/index.js').Client)(info);
  const mode = kind === 'legacy' ? 'legacy' : { pin: '2026-07-28' };
  return new (require('@modelcontextprotocol/client').Client)(info, { versionNegotiation: { mode } });
}

const client = makeClient();

async function call(name, args, options) {
  const result = isFirst ? await client.callTool({ name, arguments: args }, undefined, options)
                         : await client.callTool({ name, arguments: args }, options);
  assert.ok(!result.isError, `${name}: ${JSON.stringify(result.content)}`);
  return result.structuredContent;
}

const hits = async (query) => (await call('loci_search', { query })).hits.map((hit) => hit.id);

await client.connect(makeTransport());
const { tools } = await client.listTools();
for (const name of ['loci_search', 'loci_recall', 'loci_add', 'loci_get', 'loci_update', 'loci_delete', 'loci_mine',
  'loci_status']) {
  assert.ok(tools.some((tool) => tool.name === name), `there is no tool ${name}`);
}

const added = await call('loci_add', { document: 'We switched to GraphQL for the gateway.', wing: 'shop', room: 'api' });
assert.deepEqual(await hits('GraphQL gateway'), [added.id]);
await call('loci_update', { id: added.id, document: 'We switched to gRPC for the gateway.' });
assert.deepEqual(await hits('gRPC'), [added.id]);
assert.deepEqual(await hits('GraphQL'), []);
await call('loci_delete', { ids: [added.id] });
assert.deepEqual(await hits('gRPC'), []);

// The clients forget who waits for progress as soon as the answer is there, which may come in the same read: so more than
// one try, each with something new to mine.
const few = path.join(folder, 'few');
const steps = [];
let mined;
for (let attempt = 0; attempt < 5 && steps.length === 0; ++attempt) {
  fs.writeFileSync(path.join(few, `attempt${attempt}.md`), `Attempt ${attempt}.\n`);
  mined = await call('loci_mine', { path: few }, { onprogress: (step) => steps.push(step.progress) });
}
assert.ok(steps.length > 0, 'mining told no progress');
assert.ok(steps.every((step, i) => i === 0 || step > steps[i - 1]), `progress went back: ${steps}`);
assert.ok((await hits('lighthouse')).length > 0, `nothing was mined: ${JSON.stringify(mined)}`);

// Cancelled at the first sign of progress; everything else goes on.
const stop = new AbortController();
const cancelled = call('loci_mine', { path: path.join(folder, 'many') },
  { signal: stop.signal, onprogress: () => stop.abort('enough') });
await assert.rejects(cancelled);
assert.ok(stop.signal.aborted, 'mining ended before it could be cancelled');
const after = await call('loci_status', {});
await new Promise((done) => setTimeout(done, 300));
assert.deepEqual((await call('loci_status', {})).drawers, after.drawers, 'mining went on after it was cancelled');

if (client.transport.terminateSession && kind !== 'modern') await client.transport.terminateSession();
await client.close();
console.log(`${kind} over ${transportKind}: all well`);
