import { createHash } from "node:crypto";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files with few but long tests, longest first: started last, they would leave a core idle at the end. */
const LONG = [
  /proofs\/(pages|holder-pages)|preflight|deploy\/containers/,
  /deploy\//,
  /(proofs|release|docs)\/|\.system\./,
];

/** Starts long files first. Within a class the order is random, so that files do not depend on each other. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { seed } = this.ctx.config.sequence;
    this.ctx.logger.log(`The order of test files has the seed ${seed}. Repeat it with --sequence.seed=${seed}.`);
    const classOf = (file: string) => [...LONG, /./].findIndex((pattern) => pattern.test(file));
    const place = (file: string) => createHash("sha256").update(`${seed} ${file}`).digest("hex");
    const compare = (a: string, b: string) => classOf(a) - classOf(b) || place(a).localeCompare(place(b));
    return files.toSorted((a, b) => compare(a.moduleId, b.moduleId));
  }
}
