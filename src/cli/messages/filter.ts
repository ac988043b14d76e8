import type { Clue, FilterFinding } from '../../webhook/index.ts'
import type { Words } from './words.ts'

/** What a person reads about a filter. Ids and types are the sender's. */
export function filterWords(finding: FilterFinding): Words {
  switch (finding.kind) {
    case 'doubtful': {
      const { filter, word, near } = finding
      return {
        message: `--${filter} ${word} is not a ${filter} that callwright knows`,
        hint: `did you mean ${near}?`,
      }
    }
    case 'absent': {
      const { what, seen } = names[finding.filter]
      return { message: `no ${what} ${finding.word} came`, hint: clueWords(finding, `${seen} seen`) }
    }
    case 'nothing-left':
      return {
        message: 'nothing that came is shown',
        hint: 'together, --call, --type, --role and --status leave nothing',
      }
  }
}

const names = {
  call: { what: 'event of call', seen: 'calls' },
  type: { what: 'event of type', seen: 'types' },
  role: { what: 'message of role', seen: 'roles' },
  status: { what: 'status', seen: 'statuses' },
} as const

/** What was probably meant, or what there is: `did you mean CC-1?`, `calls seen: CC-1, CC-2`. */
export function clueWords({ near, seen, more }: Clue, what: string): string | undefined {
  if (near !== undefined) return `did you mean ${near}?`
  return seen.length === 0 ? undefined : `${what}: ${seen.join(', ')}${more ? ', …' : ''}`
}
