// LanceDB on the files of the vector bench: rows in a table, then an IVF index on it, whose probes are raised until the
// recall is 0.99. Prints one line of JSON.
//
// node lancedb_peer.mjs MODULES BASE QUERIES DIM TRUTH FOLDER
//   TRUTH is a file with the row numbers of the ten nearest for each query, as `loci bench vectors --ids-output` writes it
import { createRequire } from "node:module";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const [modules, base, queries, dimText, truthFile, folder] = process.argv.slice(2);
const lancedb = createRequire(join(modules, "/"))("@lancedb/lancedb");
const dim = Number(dimText);

function rowsOf(file) {
  const bytes = readFileSync(file);
  const all = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  return Array.from({ length: all.length / dim }, (_, row) => all.subarray(row * dim, (row + 1) * dim));
}

function bytesIn(path) {
  if (!statSync(path).isDirectory()) return statSync(path).size;
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0);
}

const seconds = async (work) => {
  const start = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - start) / 1e9;
};

const rows = rowsOf(base);
const asked = rowsOf(queries);
const truth = JSON.parse(readFileSync(truthFile, "utf8"));
const wanted = 0.99;
const batch = 10000;

const database = await lancedb.connect(folder);
let table;
const load = await seconds(async () => {
  for (let from = 0; from < rows.length; from += batch) {
    const part = rows.slice(from, from + batch).map((vector, i) => ({ row: from + i, vector: Array.from(vector) }));
    if (table) await table.add(part);
    else table = await database.createTable("vectors", part);
  }
});
const partitions = Math.max(1, Math.round(Math.sqrt(rows.length)));
const index = await seconds(() =>
  table.createIndex("vector", { config: lancedb.Index.ivfFlat({ distanceType: "cosine", numPartitions: partitions }) }));

let probes = 1;
const search = async (query) => {
  const found = await table.vectorSearch(Array.from(query)).distanceType("cosine").nprobes(probes).select(["row", "_distance"]).limit(10).toArray();
  return found.map((hit) => Number(hit.row));
};
const recall = async () => {
  let right = 0;
  for (let i = 0; i < asked.length; ++i) {
    const exact = new Set(truth[i]);
    right += (await search(asked[i])).filter((row) => exact.has(row)).length;
  }
  return right / truth.reduce((sum, list) => sum + list.length, 0);
};
let reached = await recall();
while (reached < wanted && probes < partitions) {
  probes = Math.min(partitions, Math.ceil(probes * 1.5));
  reached = await recall();
}
const times = [];
for (let i = 0; i < Math.max(300, asked.length); ++i) times.push(await seconds(() => search(asked[i % asked.length])));
times.sort((a, b) => a - b);
const percentile = (share) => times[Math.round(share * (times.length - 1))] * 1e6;
console.log(JSON.stringify({
  bench: "vectors", system: "lancedb", settings: `IVF flat, ${partitions} lists, ${probes} probes`, rows: rows.length,
  recall_at_10: reached, warm_p50_us: percentile(0.5), warm_p99_us: percentile(0.99), load_seconds: load,
  index_seconds: index, stored_bytes_per_row: bytesIn(folder) / rows.length,
}));
