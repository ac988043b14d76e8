import type { LiveRuleStatus } from '../../../calls/guard/index.ts'
import { localDateTime } from '../../../lib/text/date-time.ts'
import { type DrawnElement, drawn } from '../../../lib/text/drawn-element.ts'
import { formatValue } from '../../messages/figures.ts'

/** Draws the rules of a guard: the current figure of each, and since when it fires or has recovered. */
export function drawRules(rules: readonly LiveRuleStatus[]): readonly DrawnElement[] {
  return [drawn('ul', { class: 'rules' }, ...rules.map(drawRule))]
}

/** Groups of a rule that are shown. */
const maxGroups = 10

function drawRule({
  name,
  when,
  firing,
  values,
  unit,
  recoveredAt,
  lastEventAt,
}: LiveRuleStatus): DrawnElement {
  const ofGroup = (group: string | null | undefined) =>
    group === undefined ? '' : ` (${group ?? 'unknown'})`
  const shown = values.slice(0, maxGroups)
  const current = [
    ...shown.map(({ group, value }) => {
      return `${value === null ? 'no data' : formatValue(value, unit)}${ofGroup(group)}`
    }),
    ...(values.length > shown.length ? [`${values.length - shown.length} more`] : []),
  ]
  const facts = [
    ...(current.length === 0 ? [] : [`Now: ${current.join(', ')}`]),
    ...(lastEventAt === null ? [] : [`Last event: ${localDateTime(lastEventAt)}`]),
    ...(recoveredAt === null ? [] : [`Recovered: ${localDateTime(recoveredAt)}`]),
  ]
  const states = firing
    .slice(0, maxGroups)
    .map(({ group, since }) =>
      drawn(
        'span',
        { class: 'state', 'data-failed': 'true' },
        `firing since ${localDateTime(since)}${ofGroup(group)}`,
      ),
    )
  const ok = drawn('span', { class: 'state' }, 'not firing')
  return drawn(
    'li',
    {},
    drawn('strong', { dir: 'auto' }, name),
    ' ',
    ...(states.length === 0 ? [ok] : states),
    drawn('code', { dir: 'auto' }, when),
    ...(facts.length === 0 ? [] : [drawn('span', { class: 'faint' }, facts.join(' · '))]),
  )
}
