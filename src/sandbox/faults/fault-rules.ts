import { type ActiveFault, type FaultRule, faultRuleSchema } from '../../files/formats/control-api.ts'
import { httpFaultNames, type WebhookFaultName, webhookFaultNames } from '../../files/formats/fault-names.ts'
import { check } from '../../interface/check.ts'
import { type Finding, valueError } from '../../interface/finding.ts'
import type { SeededRandom } from '../../lib/deterministic.ts'
import { isAtOrBelow } from '../../lib/net/address.ts'
import { invalidBody } from '../records/problem.ts'
import type { FaultyWebhook } from '../webhooks/faults.ts'

export interface FaultyRequest {
  readonly path: string
  readonly scope: string | undefined
  /** Number of earlier requests to the endpoints. */
  readonly ordinal: number
}

export type Faults = ReturnType<typeof createFaults>

interface FaultsOptions {
  /** Initial rules. */
  readonly rules: readonly FaultRule[]
  readonly random: SeededRandom
  /** Called when the active rules change, except by a reset. */
  readonly onChange?: () => void
}

/**
 * Creates the injected faults of a world. They depend only on the seed, on the call and the position of the webhook in it, or on the
 * number of the request: the same seed gives the same faults. Only `times` depends on what came before.
 */
export function createFaults({ rules, random, onChange = () => {} }: FaultsOptions) {
  let added = 0
  let active: ActiveFault[] = []
  const add = (rule: FaultRule) => {
    added += 1
    const fault = { id: `fault-${added}`, rule, struck: 0 }
    active.push(fault)
    return fault
  }
  const reset = () => {
    active = []
    added = 0
    for (const rule of rules) add(rule)
  }
  const strike = (applies: (rule: FaultRule) => boolean) => {
    const fault = active.find(({ rule }) => applies(rule))
    if (fault === undefined) return false
    fault.struck += 1
    if (fault.struck === fault.rule.times) keepFaults(other => other !== fault)
    return true
  }
  const keepFaults = (isKept: (fault: ActiveFault) => boolean) => {
    active = active.filter(isKept)
    onChange()
  }
  reset()
  return {
    /** @throws Problem 422 for a rule that does not pass */
    add(rule: unknown): ActiveFault {
      const fault = add(parseRule(rule))
      onChange()
      return { ...fault }
    },
    /** Rules that may still apply, in order of creation. */
    list: (): readonly ActiveFault[] => active.map(fault => ({ ...fault })),
    /** Returns false for an unknown rule. */
    remove(id: string) {
      const before = active.length
      keepFaults(fault => fault.id !== id)
      return active.length < before
    },
    clear: () => keepFaults(() => false),
    reset,
    /** Returns true if a fault applies to a webhook, and counts it. */
    strikesWebhook(name: WebhookFaultName, { callId, index, type, scope }: FaultyWebhook) {
      if (active.length === 0) return false
      const sample = random('webhook', callId, index, name)
      return strike(
        rule =>
          sample < (rule[name] ?? 0) &&
          (rule.call ?? callId) === callId &&
          (rule.type ?? type) === type &&
          (rule.scope ?? scope) === scope,
      )
    },
    /** The fault of a request: of several the first in the order of their names. It is then counted. */
    ofRequest: ({ path, scope, ordinal }: FaultyRequest) =>
      active.length === 0
        ? undefined
        : httpFaultNames.find(name => {
            const sample = random('http', ordinal, name)
            return strike(
              rule =>
                sample < (rule[name] ?? 0) &&
                isAtOrBelow(path, rule.path ?? path) &&
                (rule.scope ?? scope) === scope,
            )
          }),
  }
}

function parseRule(value: unknown): FaultRule {
  const findings = check(faultRuleSchema(), value)
  if (findings.length > 0) throw invalidBody(findings)
  const rule = faultRuleSchema().parse(value)
  const misplaced = misplacedScopes(rule)
  if (misplaced.length > 0) throw invalidBody(misplaced)
  return rule
}

function misplacedScopes(rule: FaultRule): Finding[] {
  const ofWebhooks = webhookFaultNames.find(name => rule[name] !== undefined)
  const ofRequests = httpFaultNames.find(name => rule[name] !== undefined)
  if (ofWebhooks === undefined && ofRequests === undefined) {
    const names = [...webhookFaultNames, ...httpFaultNames].join(', ')
    return [
      valueError(
        [],
        'missing',
        'the rule names no fault',
        `set one of ${names} to a probability, such as drop: 1`,
      ),
    ]
  }
  const misplaced = [
    ['call', ofRequests, 'webhooks'],
    ['type', ofRequests, 'webhooks'],
    ['path', ofWebhooks, 'requests'],
  ] as const
  return misplaced.flatMap(([field, wrong, subject]) => {
    if (rule[field] === undefined || wrong === undefined) return []
    const reason = `${field} narrows faults of ${subject}, and ${wrong} is none`
    return [valueError([field], 'not-allowed', reason, 'use two rules')]
  })
}
