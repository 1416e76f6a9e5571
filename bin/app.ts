import { endWhenOutputCloses } from "#cli/closed-output.ts";
import { run } from "#cli/program.ts";

// Until the command has ended: one that dies silently must not look like a success.
process.exitCode = 1;
endWhenOutputCloses();
process.exitCode = await run(process.argv);
