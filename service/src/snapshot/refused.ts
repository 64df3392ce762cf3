/** The input as a whole cannot be taken: it is not what it says, or not whole. Nothing has been written when this is thrown. */
export class SnapshotRefused extends Error {
  override name = "SnapshotRefused";
  readonly advice: string;

  constructor(message: string, advice: string, options: ErrorOptions = {}) {
    super(message, options);
    this.advice = advice;
  }
}
