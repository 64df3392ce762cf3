/** A collection cannot go on now. Its state stays: the same command continues it. */
export class CollectStopped extends Error {
  override name = "CollectStopped";
  readonly advice: string;

  constructor(message: string, advice = "Run the same command again: it continues where it stopped.") {
    super(message);
    this.advice = advice;
  }
}
