/** A power of two: the low bits of a hash select its slot. */
const SLOTS = 65_536;

/**
 * Returns a function that records a key and reports whether it was recorded before. It stores about
 * 65,536 recent keys, as hashes: a collision may report a new key as recorded.
 */
export function createMissHistory(): (key: string) => boolean {
  const hashes = new Int32Array(SLOTS);
  return (key) => {
    const hash = hashOf(key);
    const slot = hash & (SLOTS - 1);
    const isRecorded = hashes[slot] === hash;
    hashes[slot] = hash;
    return isRecorded;
  };
}

/** FNV-1a, with the high half mixed into the low half, which alone is similar for similar keys. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  // 0 marks an empty slot.
  return hash ^ (hash >>> 16) || 1;
}
