import type { Reporter, TestModule, Vitest } from "vitest/node";

/** Tests that need what not every machine has, by name. No others may be skipped in CI. */
const MAY_SKIP: Readonly<Record<string, string>> = {
  "2: a real old Node prints the required version": "the system's own Node may be new enough, or missing",
  "all commands, run in order, give a server and a worker without privileges": "starting as another user needs root",
};

/** A test that is skipped guards nothing: in CI it fails. */
export class RefuseSkips implements Reporter {
  #isFiltered = false;

  /** With -t, all other tests are skipped. */
  onInit({ config }: Vitest): void {
    this.#isFiltered = config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) =>
      [...module.children.allTests("skipped")].filter(({ name }) => MAY_SKIP[name] === undefined),
    );
    if (skipped.length === 0 || this.#isFiltered) return;
    process.stderr.write(
      `Skipped, which CI does not accept:\n${skipped.map((test) => `  ${test.fullName}\n`).join("")}`,
    );
    // At the end: a repeated run of other files resets the code.
    process.on("exit", () => {
      process.exitCode = 1;
    });
  }
}
