/** Whether a database responds, judged by its last statements. */
export type Reachability = {
  /** True after two failures in a row, until a probe succeeds. */
  isDown: () => boolean;
  /** True if the last statement got no response. */
  isDoubtful: () => boolean;
  /** Records the outcome of a statement. A server that refuses or cancels a statement has responded. */
  record: (responded: boolean) => void;
  stop: () => void;
};

/** A single connection may break while the server is well. */
const MAX_FAILURES = 2;
const PROBE_EVERY_MS = 1_000;

/**
 * While a database is down, statements fail at once instead of waiting for their timeout, so that a
 * proxy can ask another node. It is probed at once, and then every second.
 */
export function watchReachability(probe: () => Promise<unknown>): Reachability {
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const probeUntilUp = () => {
    probe().then(
      () => {
        failures = 0;
      },
      () => {
        if (!isStopped) timer = setTimeout(probeUntilUp, PROBE_EVERY_MS).unref();
      },
    );
  };
  return {
    isDown: () => failures >= MAX_FAILURES,
    isDoubtful: () => failures > 0,
    record(responded) {
      // Statements sent before the failures may still succeed: only a probe ends an outage.
      if (failures >= MAX_FAILURES) return;
      failures = responded ? 0 : failures + 1;
      if (failures === MAX_FAILURES) probeUntilUp();
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
