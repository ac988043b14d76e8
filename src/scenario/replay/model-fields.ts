import type { Address } from '../../files/formats/address.ts'
import type { FieldPath } from '../../interface/finding.ts'

/** Fields of an assistant that only a model reads: replies by rule are the same with any value. */
const modelFields: readonly unknown[] = [
  'assistantProvider',
  'assistantModel',
  'assistantLLMUrl',
  'assistantSystemPrompt',
  'assistantTemperature',
  'assistantMaxTokens',
  'endCallToolDescription',
]

/** True for a change that cannot show in replays without a model. */
export function affectsOnlyModel({
  address,
  path: [field, ...rest],
}: {
  readonly address: Address
  readonly path: FieldPath
}): boolean {
  if (!address.startsWith('assistant/')) return false
  return modelFields.includes(field) || (field === 'assistantAnalysis' && rest.at(-1) === 'prompt')
}
