/** Loads the writer of lockfiles, with the YAML library: most commands only read them. */
export async function loadLockText() {
  const { lockText } = await import('./lock-text.ts')
  return lockText
}
