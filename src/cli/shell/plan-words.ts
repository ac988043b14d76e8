import { byCase } from '../../lib/by-case.ts'
import { oneLine } from '../../lib/text/escape.ts'
import type { OutcomeDocument, ResourceOutcome } from '../../project/apply/index.ts'
import type { Overridden } from '../../project/lockfile/index.ts'
import { choicesFor, reasonFor } from '../../project/plan/explain/index.ts'
import type { ActionDocument, Plan, PlanDocument, Why } from '../../project/plan/index.ts'
import type { Advised } from './hints.ts'
import { choiceAdvice, type ResourceId, type RunFlags, type RunTarget } from './project-hints.ts'

type Explanation = Pick<ActionDocument, 'choices'> & { readonly reason: string }

export function planDocument({ actions, ...plan }: Plan, run: RunFlags): PlanDocument {
  const at = { target: plan.target, run }
  return {
    ...plan,
    actions: actions.map(({ why, ...action }) => ({
      ...action,
      code: why?.code,
      ...(why && explain(why, action, at)),
    })),
  }
}

/** Returns the reason for an action and what to do about it, one sentence each. */
export function explain(why: Why, resource: ResourceId, at: RunTarget): Explanation {
  const choices = choicesFor(why, resource).map(choice => {
    const { hint, next: [command] = [] } = choiceAdvice(choice, at)
    return { ...choice, hint, ...(command && { command }) }
  })
  return { reason: reasonFor(why, resource.id), ...(choices.length > 0 && { choices }) }
}

/** The choices as one hint. */
export function formatChoicesHint(choices: readonly { readonly hint: string }[] = []): string {
  return choices.map(({ hint }) => hint).join('; or: ')
}

/** `tool/book is 6650f0c2 now; it was t1`, `forgot tool/book, which was t1`. */
export function overriddenText(overridden: Overridden): string {
  const sentence: string = byCase('code', overridden, {
    'adopted-entries': ({ name, former }) => `${name} now has the entries of ${former}`,
    adopted: ({ name, id, holder, former }) =>
      [
        `${name} is now ${id}`,
        ...(holder === undefined ? [] : [`that was ${holder}`]),
        ...(former === undefined || former === id ? [] : [`it was ${former}`]),
      ].join('; '),
    resent: () => 'every tool and entry is sent again',
    'forgot-entry': ({ name, id }) => `forgot ${name}${id === undefined ? '' : `, which was ${id}`}`,
    'forgot-creation': ({ name, id }) =>
      `forgot the unconfirmed creation of ${name}${id === undefined ? '' : `, which is still ${id}`}`,
    'forgot-batch': ({ name }) => `forgot the unconfirmed entries of ${name}`,
    'forgot-entries': ({ name, ids }) =>
      `forgot the entries of ${name}${ids.length === 0 ? '' : `, which were ${ids.join(', ')}`}`,
    forgot: ({ name, id = 'not created yet', earlier }) =>
      `forgot ${name}, which was ${id}${earlier.length === 0 ? '' : `, and before that ${earlier.join(', ')}`}`,
  })
  return oneLine(sentence)
}

export function outcomeDocument(
  { error, why, ...outcome }: ResourceOutcome,
  at: RunTarget,
): OutcomeDocument & Advised {
  if (why !== undefined) {
    const { reason, choices } = explain(why, outcome, at)
    return { ...outcome, reason, hint: formatChoicesHint(choices) }
  }
  if (error === undefined) return outcome
  const { kind, code, message, hint, details, cause } = error
  return {
    ...outcome,
    reason: message,
    ...(outcome.status === 'failed' && { kind, code, hint, details, cause }),
  }
}
