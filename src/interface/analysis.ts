import * as z from 'zod/mini'
import { type Infer, lazy } from '../lib/lazy.ts'
import { looseSchema, optional, optionalObject, primitives, strictSchema } from './fields.ts'

/** interface.md 2.4: what is made of a call after it ended. */
export const analysisSchema = strictSchema('AssistantAnalysis', () => {
  const enabled = optional(primitives.flag(), 'Whether this analysis is made')
  const prompt = optional(primitives.text(), 'Prompt of this analysis')
  const timeoutSeconds = optional(primitives.number(), 'Seconds after which this analysis is given up')
  return {
    summary: optionalObject('Summary of the call', () => ({ enabled, prompt, timeoutSeconds })),
    successEvaluation: optionalObject('Whether the call reached its goal', () => ({
      enabled,
      prompt,
      rubric: optional(primitives.text(), 'How success is rated, for example NumericScale'),
      timeoutSeconds,
    })),
    structuredData: optionalObject('Data extracted from the call', () => ({
      enabled,
      prompt,
      timeoutSeconds,
      schema: optional(dataSchema(), 'JSON Schema of the data to extract'),
    })),
  }
})

const dataSchema = () =>
  z.looseObject({
    type: optional(z.literal('object'), 'Always object'),
    properties: optional(z.record(z.string(), dataField()), 'Field name → its schema'),
  })

const dataField = () =>
  z.looseObject({
    type: optional(primitives.text(), 'JSON Schema type of the field'),
    format: optional(primitives.text(), 'Format, for example date'),
    description: optional(primitives.text(), 'What the field holds'),
    example: optional(z.unknown(), 'An example value'),
  })

export type Analysis = Infer<typeof analysisSchema>

/** interface.md 2.9: the analysis as webhooks carry it. */
export const analysisResultSchema = lazy(() =>
  looseSchema('AnalysisResult', {
    summary: optional(primitives.text(), 'Summary of the call'),
    successEvaluation: optional(primitives.text(), 'Whether the call reached its goal'),
    structuredData: optional(z.record(z.string(), z.unknown()), 'Data extracted from the call'),
  }),
)

export type AnalysisResult = Infer<typeof analysisResultSchema>
