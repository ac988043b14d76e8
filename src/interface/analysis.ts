import * as z from 'zod'

const enabled = z.boolean().optional().describe('Whether this analysis is made')
const prompt = z.string().optional().describe('Prompt of this analysis')
const timeoutSeconds = z.number().optional().describe('Seconds after which this analysis is given up')

/** interface.md 2.4: what is made of a call after it ended. */
export const analysisSchema = z.strictObject({
  summary: z.strictObject({ enabled, prompt, timeoutSeconds }).optional().describe('Summary of the call'),
  successEvaluation: z
    .strictObject({
      enabled,
      prompt,
      rubric: z.string().optional().describe('How success is rated, for example NumericScale'),
      timeoutSeconds,
    })
    .optional()
    .describe('Whether the call reached its goal'),
  structuredData: z
    .strictObject({
      enabled,
      prompt,
      timeoutSeconds,
      schema: z
        .looseObject({
          type: z.literal('object').optional().describe('Always object'),
          properties: z
            .record(
              z.string(),
              z.looseObject({
                type: z.string().optional().describe('JSON Schema type of the field'),
                format: z.string().optional().describe('Format, for example date'),
                description: z.string().optional().describe('What the field holds'),
                example: z.unknown().optional().describe('An example value'),
              }),
            )
            .optional()
            .describe('Field name → its schema'),
        })
        .optional()
        .describe('JSON Schema of the data to extract'),
    })
    .optional()
    .describe('Data extracted from the call'),
})

/** interface.md 2.9: the analysis as webhooks carry it. */
export const analysisResultSchema = z.looseObject({
  summary: z.string().optional(),
  successEvaluation: z.string().optional(),
  structuredData: z.record(z.string(), z.unknown()).optional(),
})

export type AnalysisResult = z.infer<typeof analysisResultSchema>
