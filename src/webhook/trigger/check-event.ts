import * as z from 'zod/mini'
import { CliError } from '../../errors.ts'
import { analysisResultSchema } from '../../interface/analysis.ts'
import { conversationMessageSchema, webhookEventSchema } from '../../interface/webhook.ts'
import { formatPath } from './field-path.ts'
import type { SampleEvent } from './sample-events.ts'

/** The envelope as any receiver takes it, and inside it what interface.md 2.9 says of messages and analysis. */
const detailsSchema = z.looseObject({
  message: z.looseObject({
    call: z.nullish(z.looseObject({ analysis: z.nullish(analysisResultSchema) })),
    analysis: z.nullish(analysisResultSchema),
    messages: z.nullish(z.array(conversationMessageSchema)),
  }),
})

/**
 * Lets through what the service could send: a sample that `--set` has bent out of shape would test nothing.
 * @throws CliError `usage` that names the field
 */
export function checkEvent(event: SampleEvent): void {
  for (const schema of [webhookEventSchema, detailsSchema]) {
    const { error } = z.safeParse(schema, event)
    const issue = error?.issues[0]
    if (issue === undefined) continue
    const field = formatPath(
      issue.path.slice(1).map(step => (typeof step === 'number' ? step : String(step))),
    )
    const expected = 'expected' in issue ? String(issue.expected) : 'another value'
    throw new CliError('usage', `--set: ${field || 'message'} must be ${articles[expected] ?? expected}`, {
      hint: 'a text that looks like JSON goes in quotes of its own: --set \'customer.number="12025550123"\'',
    })
  }
}

const articles: Readonly<Record<string, string>> = {
  string: 'text',
  object: 'an object',
  record: 'an object',
  array: 'a list',
}
