/** The input is refused as a whole because it is invalid or incomplete. */
export class SnapshotRefused extends Error {
  override name = "SnapshotRefused";
  readonly advice: string;

  constructor(message: string, advice: string, options: ErrorOptions = {}) {
    super(message, options);
    this.advice = advice;
  }
}

/** The source was valid when it was checked, and changed while it was imported. */
export class SnapshotChanged extends Error {
  override name = "SnapshotChanged";
  readonly advice =
    "The source was valid before the import and changed while it was read. Some people were imported; run the command again.";

  constructor(refused: SnapshotRefused) {
    super(refused.message, { cause: refused });
  }
}
