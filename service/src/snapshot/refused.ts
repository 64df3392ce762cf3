/** The input is refused as a whole because it is invalid or incomplete. */
export class SnapshotRefused extends Error {
  override name = "SnapshotRefused";
  readonly advice: string;

  constructor(message: string, advice: string, options: ErrorOptions = {}) {
    super(message, options);
    this.advice = advice;
  }
}
