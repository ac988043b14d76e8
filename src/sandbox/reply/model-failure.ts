/** A model gave no answer, or none that can be read. The message is one sentence without prompt, key or query string. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure'
}
