/**
 * The body as it is sent. A small body is a string with one UTF-8 byte per character. It must be
 * written with the encoding latin1, which is faster than encoding text for every request. A large
 * body is a Buffer, so that slow clients share one copy.
 */
export type Wire = string | Buffer;

const MAX_STRING_BYTES = 65_536;

export function wireOf(text: string): Wire {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_STRING_BYTES) return Buffer.from(text);
  const isAscii = bytes === text.length;
  // One UTF-8 byte per character.
  return isAscii ? text : Buffer.from(text).toString("latin1");
}
