import type { FieldPath, Finding } from '../interface/finding.ts'
import { isObject } from '../lib/json/is-object.ts'
import type { Position } from './diagnostic.ts'

interface Located {
  positionOf(path: FieldPath, at: 'key' | 'value'): Position | undefined
}

/**
 * Entries of a FAQ file that repeat the question or the id of an earlier one. Questions are the same when they differ
 * only in white space or in how Unicode writes a letter.
 */
export function findDuplicates(value: unknown, source: Located): Finding[] {
  if (!isObject(value) || !Array.isArray(value.faq)) return []
  const first = { id: new Map<string, number>(), question: new Map<string, number>() }
  const findings: Finding[] = []
  for (const [index, entry] of value.faq.entries()) {
    if (!isObject(entry)) continue
    for (const field of ['id', 'question'] as const) {
      const text = entry[field]
      if (typeof text !== 'string' || text.trim() === '') continue
      const same = text.normalize('NFC').trim().replace(/\s+/g, ' ')
      const earlier = first[field].get(same)
      if (earlier === undefined) first[field].set(same, index)
      else findings.push(duplicate(field, index, earlier, source))
    }
  }
  return findings
}

function duplicate(field: 'id' | 'question', index: number, earlier: number, source: Located): Finding {
  const line = source.positionOf(['faq', earlier, field], 'value')?.line
  return {
    code: 'duplicate',
    severity: 'error',
    path: ['faq', index, field],
    at: 'value',
    message: `faq[${index}].${field} is the same as faq[${earlier}].${field}${line === undefined ? '' : ` in line ${line}`}`,
    hint:
      field === 'id'
        ? 'each entry of the service has one id; remove this one'
        : 'merge the two entries, or ask it in other words',
  }
}
