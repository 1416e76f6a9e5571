import stringWidth from "string-width";

/** Rows under their headings, each column as wide as its widest cell. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) =>
    Math.max(...lines.map((line) => stringWidth(line[column] ?? ""))),
  );
  const pad = (cell: string, column: number) =>
    cell + " ".repeat((widths[column] ?? 0) - stringWidth(cell));
  return lines.map((line) => line.map(pad).join("  ").trimEnd()).join("\n");
}
