import type { Context } from '../../cli/context.ts'
import { jsonSchema } from '../../interface/json-schema.ts'
import type { KindName } from '../../interface/words.ts'

export interface SchemaOptions {
  readonly kind: KindName
}

/** Prints the JSON Schema of a kind, with the words of this deployment's vocabulary; the same with and without --json. */
export async function schema({ kind }: SchemaOptions, context: Context): Promise<void> {
  const vocabulary = (await context.settings()).vocabulary.value
  const document = jsonSchema(kind, vocabulary)
  context.output.result(document, () => JSON.stringify(document, null, 2))
}
