import type { FileHandle } from "node:fs/promises";

const ZSTD = 0xfd2fb528;
const CHECKSUM_BYTES = 4;
/** By the two bits of the frame header that select them. */
const DICTIONARY_ID_BYTES = [0, 1, 2, 4] as const;
const CONTENT_SIZE_BYTES = [0, 2, 4, 8] as const;
/** A block of this type repeats one byte. */
const RUN = 1;

/**
 * Whether a zstd file ends within a frame, which the decoder of Node 22 does not report. Reads only the
 * headers of frames and blocks: RFC 8878, section 3.1.
 */
export async function isTruncated(file: FileHandle, fileBytes: number): Promise<boolean> {
  let position = 0;
  /** Little-endian. Zeros after the end of the file, where the position is past it anyway. */
  const readNumber = async (bytes: number): Promise<number> => {
    const { buffer } = await file.read(Buffer.alloc(bytes), 0, bytes, position);
    position += bytes;
    return buffer.readUIntLE(0, bytes);
  };
  while (position < fileBytes) {
    const magic = await readNumber(4);
    if (magic >>> 4 === 0x184d2a5) {
      const contentBytes = await readNumber(4);
      position += contentBytes;
      continue;
    }
    // The decoder reports other data.
    if (magic !== ZSTD) return position > fileBytes;
    const header = await readNumber(1);
    const hasWindow = (header & 0x20) === 0;
    const sizeBytes = CONTENT_SIZE_BYTES[(header >> 6) as 0] || (hasWindow ? 0 : 1);
    position += (hasWindow ? 1 : 0) + DICTIONARY_ID_BYTES[(header & 3) as 0] + sizeBytes;
    for (let isLast = false; !isLast; ) {
      if (position >= fileBytes) return true;
      const block = await readNumber(3);
      isLast = (block & 1) === 1;
      position += ((block >> 1) & 3) === RUN ? 1 : block >> 3;
    }
    if ((header & 4) !== 0) position += CHECKSUM_BYTES;
  }
  return position > fileBytes;
}
