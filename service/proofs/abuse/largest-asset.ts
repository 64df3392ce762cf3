/** Returns the path of the largest file of the documentation page, including the page itself. */
export async function findLargestAsset(address: string): Promise<string> {
  const page = await fetch(`${address}/docs`);
  const text = await page.text();
  const { origin } = new URL(address);
  const linked = [...text.matchAll(/(?:src|href)="([^"#]+)"/g)]
    .map(([, target = ""]) => URL.parse(target, page.url))
    .filter((url) => url?.origin === origin)
    .map((url) => url?.pathname ?? "/");
  let largest = { path: new URL(page.url).pathname, bytes: Buffer.byteLength(text) };
  for (const path of new Set(linked)) {
    const response = await fetch(origin + path);
    const { byteLength: bytes } = await response.arrayBuffer();
    if (response.ok && bytes > largest.bytes) largest = { path, bytes };
  }
  return largest.path;
}
