import { CallwrightError } from '../../lib/error.ts'

/** An error with the words for its codes; anything else as it was thrown. Words are loaded when they are needed. */
export async function withWords(thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof CallwrightError)) return thrown
  const { worded } = await import('./messages.ts')
  return worded(thrown)
}
