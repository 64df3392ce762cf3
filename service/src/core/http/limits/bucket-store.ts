import { randomInt } from "node:crypto";
import { coarseNetworkOf } from "#core/http/connections/security-events.ts";
import { type Bucket, createBucket } from "./bucket.ts";

export type Buckets = {
  find: (client: Client, now: number) => Bucket;
  size: () => number;
};

export type Client = { keyId: string } | { address: string };

/** About 15 MB. */
export const MAX_ADDRESSES = 100_000;
const MAX_SHARED = 65_536;
/** Not public: outsiders must not know which networks share a bucket. */
const SEED = randomInt(2 ** 32);
const SWEEP_EVERY_MS = 1_000;

/**
 * A bounded number of buckets. A bucket that has drained is removed when memory is needed; one that
 * has not is never removed. If there is no room, new addresses share the bucket of their network.
 */
export function createBuckets(maxAddresses = MAX_ADDRESSES): Buckets {
  const addresses = new Map<string, Bucket>();
  const others = new Map<string, Bucket>();
  let sweptAt = Number.NEGATIVE_INFINITY;

  function hasRoom(now: number): boolean {
    if (addresses.size < maxAddresses) return true;
    // At most once a second: a sweep visits all buckets.
    if (now - sweptAt < SWEEP_EVERY_MS) return false;
    sweptAt = now;
    for (const [name, { drainedAt }] of addresses) if (drainedAt <= now) addresses.delete(name);
    return addresses.size < maxAddresses;
  }

  /** Keys and shared buckets: their number is bounded by itself. */
  function findOther(name: string): Bucket {
    let bucket = others.get(name);
    if (bucket === undefined) {
      bucket = createBucket();
      others.set(name, bucket);
    }
    return bucket;
  }

  function findAddress(address: string, now: number): Bucket | null {
    const known = addresses.get(address);
    if (known !== undefined) return known;
    if (!hasRoom(now)) return null;
    const bucket = createBucket();
    addresses.set(address, bucket);
    return bucket;
  }

  return {
    find(client, now) {
      if ("keyId" in client) return findOther(`key ${client.keyId}`);
      return findAddress(client.address, now) ?? findOther(`shared ${hash(coarseNetworkOf(client.address))}`);
    },
    size: () => addresses.size + others.size,
  };
}

/** FNV-1a, with a start value that is not public. */
function hash(text: string): number {
  let value = SEED;
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 16_777_619);
  return (value >>> 0) % MAX_SHARED;
}
