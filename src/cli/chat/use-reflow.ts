import { useStdout } from "ink";
import { useEffect, useRef } from "react";
import type { LiveRegion } from "./live-layout.ts";
import { lineColumns } from "./styled-line.ts";

/**
 * A terminal that gets narrower breaks the rows of the live region, which then begins higher than the
 * renderer believes. Moving the cursor up by the rows that came into being makes it right again.
 */
export function useReflow(region: LiveRegion, is_active: boolean): void {
  const { stdout } = useStdout();
  const drawn = useRef(region);
  useEffect(() => {
    drawn.current = region;
  });
  useEffect(() => {
    if (!is_active) return;
    const terminal = stdout as NodeJS.WriteStream;
    let columns = terminal.columns;
    const onResize = () => {
      const rows = terminal.columns < columns ? addedRows(drawn.current, terminal.columns) : 0;
      columns = terminal.columns;
      if (rows > 0) terminal.write(`\u001B[${rows}A`);
    };
    terminal.prependListener("resize", onResize);
    return () => void terminal.off("resize", onResize);
  }, [stdout, is_active]);
}

/** Rows that breaking added between the top of the region and its cursor. */
export function addedRows({ lines, cursor }: LiveRegion, columns: number): number {
  const width = Math.max(1, columns);
  const above = lines
    .slice(0, cursor.y)
    .reduce((rows, line) => rows + Math.max(1, Math.ceil(lineColumns(line) / width)) - 1, 0);
  return above + Math.floor(cursor.x / width);
}
