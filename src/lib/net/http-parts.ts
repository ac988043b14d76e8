/** Header names in lower case, so that none is sent twice. */
export function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/** The beginning of a body as UTF-8, and whether more followed; the rest is given up with its connection. */
export async function readBeginning(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const chunks: Uint8Array[] = []
  let size = 0
  // Leaving the loop early destroys the stream, and so the connection.
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.byteLength
    if (size > maxBytes) break
  }
  return { text: Buffer.concat(chunks).subarray(0, maxBytes).toString(), isCut: size > maxBytes }
}
