const NODE_MAJOR = "26";

/** On another Node the native addon takes the whole process down instead of failing a test. */
export function setup(): void {
  if (process.versions.node.split(".")[0] === NODE_MAJOR) return;
  throw new Error(
    `tests need Node ${NODE_MAJOR}, which the project brings along: use \`npm test\``,
  );
}
