/** Where one stands after a heading: those above it that outrank it, and itself. */
export function underHeading(
  path: readonly string[],
  level: number,
  title: string,
): readonly string[] {
  const above = path.slice(0, level - 1);
  const gap = Array.from<string>({ length: Math.max(0, level - 1 - above.length) }).fill("");
  return [...above, ...gap, title.slice(0, TITLE_CHARACTERS)];
}

const TITLE_CHARACTERS = 200;
