import { createFilter, type Filter, type FilterFinding } from '../../../events/receive/index.ts'
import { byCase } from '../../../lib/by-case.ts'
import { escapeForTerminal } from '../../../lib/text/escape.ts'
import { clueHint } from '../../../lib/text/wanted-words.ts'
import type { MessageText } from '../../shell/advice.ts'
import type { Output } from '../../shell/context.ts'
import type { TailFlags } from './tail-flags.ts'

/** The filter of these flags. Warns of words that look like a slip of the pen. */
export function openFilter({ call, type, role, status }: Partial<TailFlags>, output: Output): Filter {
  const filter = createFilter({ calls: call, types: type, roles: role, statuses: status })
  for (const finding of filter.doubts()) {
    const { message, hint } = filterWords(finding)
    output.warn(message, hint)
  }
  return filter
}

/** At the end, reports what was expected and never arrived. */
export function warnUnmatched(filter: Filter, output: Output): void {
  // Ids and types are the sender's: they must not bring lines of their own.
  for (const finding of filter.unmatched()) {
    const { message, hint } = filterWords(finding)
    output.warn(escapeForTerminal(message), hint === undefined ? undefined : escapeForTerminal(hint))
  }
}

/** Returns the message for a filter. Ids and types are untrusted. */
function filterWords(finding: FilterFinding): MessageText {
  return byCase('kind', finding, {
    doubtful: ({ filter, word, near }) => ({
      message: `--${filter} ${word} is not a ${filter} that callyard knows`,
      hint: `did you mean ${near}?`,
    }),
    absent(absent) {
      const { what, seen } = names[absent.filter]
      return { message: `no ${what} ${absent.word} came`, hint: clueHint(absent, `${seen} seen`) }
    },
    'nothing-left': () => ({
      message: 'nothing that came is shown',
      hint: 'together, --call, --type, --role and --status leave nothing',
    }),
  })
}

const names = {
  call: { what: 'event of call', seen: 'calls' },
  type: { what: 'event of type', seen: 'types' },
  role: { what: 'message of role', seen: 'roles' },
  status: { what: 'status', seen: 'statuses' },
} as const
