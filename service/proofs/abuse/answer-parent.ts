type Call = { id: number; call: string; options: object };

/** Runs in a load process: handles the calls of the proof, and exits when the proof exits. */
export function answerParent(handlers: Record<string, (options: never) => Promise<unknown>>): void {
  process.on("message", async ({ id, call, options }: Call) => {
    try {
      process.send?.({ id, result: await handlers[call]?.(options as never) });
    } catch (error) {
      process.send?.({ id, error: (error as Error).stack ?? String(error) });
    }
  });
  process.on("disconnect", () => process.exit());
}
