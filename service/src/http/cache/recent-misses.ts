/** So many of the keys that were asked about last are remembered, about. */
const REMEMBERED = 65_536;

/** Says whether a key was asked about before, not too many others ago. Now and then it takes one key for another. */
export function rememberKeys(): (key: string) => boolean {
  const hashes = new Int32Array(REMEMBERED);
  return (key) => {
    const hash = hashOf(key);
    const slot = hash & (REMEMBERED - 1);
    const known = hashes[slot] === hash;
    hashes[slot] = hash;
    return known;
  };
}

/** FNV-1a, its upper half mixed into the lower, which alone is alike for keys that are alike. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  // Never 0, which stands for nothing.
  return hash ^ (hash >>> 16) || 1;
}
