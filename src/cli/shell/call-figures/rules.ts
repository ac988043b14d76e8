import type { LiveRuleStatus } from '../../../calls/guard/index.ts'
import { formatValue } from '../../../calls/report/index.ts'
import { localDateTime } from '../../../lib/text/date-time.ts'
import { h, type VNode } from '../../../lib/text/virtual-node.ts'

/** Draws the rules of a guard: the current figure of each, and since when it fires or has recovered. */
export function drawRules(rules: readonly LiveRuleStatus[]): readonly VNode[] {
  return [h('ul', { class: 'rules' }, ...rules.map(drawRule))]
}

/** Groups of a rule that are shown. */
const maxGroups = 10

function drawRule({ name, when, firing, values, unit, recoveredAt, lastEventAt }: LiveRuleStatus): VNode {
  const ofGroup = (group: string | null | undefined) =>
    group === undefined ? '' : ` (${group ?? 'unknown'})`
  const visibleValues = values.slice(0, maxGroups)
  const current = [
    ...visibleValues.map(({ group, value }) => {
      return `${value === null ? 'no data' : formatValue(value, unit)}${ofGroup(group)}`
    }),
    ...(values.length > visibleValues.length ? [`${values.length - visibleValues.length} more`] : []),
  ]
  const facts = [
    ...(current.length === 0 ? [] : [`Now: ${current.join(', ')}`]),
    ...(lastEventAt === null ? [] : [`Last event: ${localDateTime(lastEventAt)}`]),
    ...(recoveredAt === null ? [] : [`Recovered: ${localDateTime(recoveredAt)}`]),
  ]
  const states = firing
    .slice(0, maxGroups)
    .map(({ group, since }) =>
      h(
        'span',
        { class: 'state', 'data-failed': 'true' },
        `firing since ${localDateTime(since)}${ofGroup(group)}`,
      ),
    )
  const ok = h('span', { class: 'state' }, 'not firing')
  return h(
    'li',
    {},
    h('strong', { dir: 'auto' }, name),
    ' ',
    ...(states.length === 0 ? [ok] : states),
    h('code', { dir: 'auto' }, when),
    ...(facts.length === 0 ? [] : [h('span', { class: 'faint' }, facts.join(' · '))]),
  )
}
