export interface Row {
  readonly what: string;
  readonly troupe: number;
  readonly limit: number | undefined;
  /** What must hold, and whether it does. */
  readonly target?: string;
  readonly reached?: boolean;
}
