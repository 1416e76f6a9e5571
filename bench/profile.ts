/** `node bench/profile.ts FOLDER`: keeps a CPU profile of the bundled server under 32 streams there. */
import { join } from "node:path";
import { run } from "./load.ts";
import { type Pace, startMock, startTroupe } from "./systems.ts";

const [folder = "profile", streams = "32", turns = "3000", pace = "instant"] =
  process.argv.slice(2);
const program = [
  process.execPath,
  "--cpu-prof",
  "--cpu-prof-dir",
  folder,
  join(import.meta.dirname, "../dist/troupe.js"),
];

const mock = await startMock();
const troupe = await startTroupe(mock, program);
await run(troupe.target(pace as Pace), Number(streams), Number(turns));
process.kill(troupe.running.pid, "SIGTERM");
await new Promise((done) => setTimeout(done, 2_000));
await Promise.all([mock.stop(), troupe.running.stop()]);
