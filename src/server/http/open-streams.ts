/** How many streams are being sent. */
export interface OpenStreams {
  count(): number;
  /** Call the result when the stream has ended, once. */
  open(): () => void;
}

export function createOpenStreams(): OpenStreams {
  let open = 0;
  return {
    count: () => open,
    open() {
      open += 1;
      return () => {
        open -= 1;
      };
    },
  };
}
