import * as z from 'zod/mini'
import { type Infer, lazy } from '../../lib/lazy.ts'

const text = () => z.string().check(z.minLength(1), z.maxLength(500))

/** An action that a person can approve. It becomes the arguments of one command, and has no other flags. */
export const actionSchema = lazy(() =>
  z.discriminatedUnion('action', [
    z.strictObject({ action: z.literal('apply'), target: z.optional(text()) }),
    z.strictObject({
      action: z.literal('call'),
      /** Number of the assistant, or `phoneNumberId`. */
      from: z.optional(text()),
      phoneNumberId: z.optional(text()),
      to: text(),
      assistant: z.optional(text()),
      variables: z.optional(z.record(z.string().check(z.regex(/^[^=]+$/)), z.string())),
    }),
    z.strictObject({
      action: z.literal('batch'),
      batch: text(),
      maxCalls: z.int().check(z.gte(1)),
    }),
  ]),
)
export type ApprovableAction = Readonly<Infer<typeof actionSchema>>

/** Arguments of the command that carries an action out, without `--yes`. Each value is joined to its flag, so none becomes a flag. */
export function argvOf(action: ApprovableAction): readonly string[] {
  if (action.action === 'apply') return ['apply', ...joinFlag('target', action.target)]
  if (action.action === 'batch') return ['batch', 'run', `--max-calls=${action.maxCalls}`, '--', action.batch]
  const { from, phoneNumberId, to, assistant, variables = {} } = action
  return [
    ...(phoneNumberId === undefined
      ? ['call', 'start', ...joinFlag('from', from)]
      : ['call', 'connect', ...joinFlag('phone-number-id', phoneNumberId)]),
    ...joinFlag('to', to),
    ...joinFlag('assistant', assistant),
    ...Object.entries(variables).map(([name, value]) => `--var=${name}=${value}`),
  ]
}

/** A value is joined to its flag, so that it cannot become another one. */
export function joinFlag(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [`--${name}=${value}`]
}
