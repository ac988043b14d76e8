import { escapeRegExp } from '../../../lib/text/escape.ts'
import type { AnyCommand } from '../../shell/flags/flag.ts'
import { topicNames, topics } from '../../shell/help-topics.ts'
import { loadCommandTable } from '../completion/load-table.ts'
import type { CommandEntry } from '../completion/read-table.ts'

/** A command that prints a help page or topic, or a section of a guide. */
export type HelpMatch = { readonly description: string } & (
  | { readonly command: string }
  | { readonly guide: string }
)

interface Page {
  readonly match: HelpMatch
  /** The weightiest first. */
  readonly parts: readonly string[]
}

interface RankedMatch {
  readonly match: HelpMatch
  /** Matches in each part. */
  readonly counts: readonly number[]
}

const most = { pages: 9, guides: 4 }

/** Returns the commands, topics, and best sections of guides that have words beginning with this text; the best come first. */
export async function searchHelp(root: AnyCommand, query: string): Promise<HelpMatch[]> {
  const { guideSections, topicText } = await import('./topic-texts.ts')
  const pages: Page[] = [
    ...pagesBelow(await loadCommandTable(root), 'callyard help'),
    ...topicNames.map(name => ({
      match: { command: `callyard help ${name}`, description: topics[name] },
      parts: [name, topics[name], topicText(name, root)],
    })),
  ]
  const guides: Page[] = guideSections.map(({ page, title, heading, words }) => ({
    match: { guide: `docs/${page}`, description: heading === title ? title : `${title}: ${heading}` },
    parts: [heading, title, words],
  }))
  // `opt-out` also finds "opted out".
  const words = query.split(/[\s-]+/).filter(word => word !== '')
  if (words.length === 0) return []
  const pattern = new RegExp(`(?<![\\p{L}\\d])${words.map(escapeRegExp).join('\\p{L}*[\\s-]+')}`, 'giu')
  const best = [...bestOf(pages, pattern, most.pages), ...bestOf(guides, pattern, most.guides)]
  return best.sort((one, other) => firstPartOf(one) - firstPartOf(other)).map(({ match }) => match)
}

/** Index of the weightiest part with a match: a heading of a guide is like the name of a page. */
function firstPartOf({ counts }: RankedMatch): number {
  return counts.findIndex(number => number > 0)
}

export function matchList(matches: readonly HelpMatch[]): string {
  const width = Math.max(...matches.map(match => nameOf(match).length))
  return matches.map(match => `${nameOf(match).padEnd(width)}  ${match.description}`).join('\n')
}

function nameOf(match: HelpMatch): string {
  return 'command' in match ? match.command : match.guide
}

function bestOf(pages: readonly Page[], pattern: RegExp, maxMatches: number): RankedMatch[] {
  const best = pages
    .map(({ match, parts }) => ({ match, counts: parts.map(part => part.match(pattern)?.length ?? 0) }))
    .filter(({ counts }) => counts.some(number => number > 0))
    .sort((one, other) => rankOf(other.counts) - rankOf(one.counts))
  const names = best.map(({ match }) => nameOf(match))
  return best.filter(({ match }, index) => names.indexOf(nameOf(match)) === index).slice(0, maxMatches)
}

/** A match in a name outweighs any in a description, and that any in the text. */
function rankOf(counts: readonly number[]): number {
  return counts.reduce((rank, number) => rank * 100 + Math.min(number, 99), 0)
}

function pagesBelow(group: CommandEntry, path: string): Page[] {
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
