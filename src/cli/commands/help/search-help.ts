import { escapeRegExp } from '../../../lib/text/escape.ts'
import type { AnyCommand } from '../../shell/flags/flag.ts'
import { topicNames, topics } from '../../shell/help-topics.ts'
import { loadCommandTable } from '../completion/load-table.ts'
import type { CommandEntry } from '../completion/read-table.ts'

/** A command that prints a help page or topic. */
export interface HelpMatch {
  readonly command: string
  readonly description: string
}

const maxMatches = 12

/** Returns the commands and topics, which include sections of the guides, that have words beginning with this text; the best come first. */
export async function searchHelp(root: AnyCommand, wanted: string): Promise<HelpMatch[]> {
  const { topicTexts } = await import('./topic-texts.ts')
  const pages = [
    ...pagesBelow(await loadCommandTable(root), 'callyard help'),
    ...topicNames.map(name => ({
      match: { command: `callyard help ${name}`, description: topics[name] },
      parts: [name, topics[name], topicTexts[name]],
    })),
  ]
  // `opt-out` also finds "opted out".
  const words = wanted.split(/[\s-]+/).filter(word => word !== '')
  if (words.length === 0) return []
  const pattern = new RegExp(`(?<![\\p{L}\\d])${words.map(escapeRegExp).join('\\p{L}*[\\s-]+')}`, 'giu')
  return pages
    .map(({ match, parts }) => ({ match, counts: parts.map(part => part.match(pattern)?.length ?? 0) }))
    .filter(({ counts }) => counts.some(number => number > 0))
    .sort((one, other) => rankOf(other.counts) - rankOf(one.counts))
    .slice(0, maxMatches)
    .map(({ match }) => match)
}

/** A match in a name outweighs any in a description, and that any in the text. */
function rankOf(counts: readonly number[]): number {
  return counts.reduce((rank, number) => rank * 100 + Math.min(number, 99), 0)
}

/** Pages with their parts, the weightiest first. */
function pagesBelow(group: CommandEntry, path: string): { match: HelpMatch; parts: readonly string[] }[] {
  return group.commands.flatMap(entry => {
    const command = `${path} ${entry.value}`
    const { description } = entry
    const flags = entry.flags.map(flag => `${flag.names.join(' ')} ${flag.description}`).join('\n')
    return [
      { match: { command, description }, parts: [entry.value, description, flags] },
      ...pagesBelow(entry, command),
    ]
  })
}
