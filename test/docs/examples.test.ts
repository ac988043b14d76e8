import { expect, test } from 'vitest'
import { getCommandPath } from '../../src/cli/commands/help/command-help.ts'
import { buildTree, commandsOf } from '../cli/commands/help/tree.ts'
import { callyardsOf } from '../helpers/callyard-lines.ts'
import { type Fence, fencesOf, guides, proseOf, textOf } from './markdown.ts'

const pages = await guides()

const examples = (
  await Promise.all(
    pages.map(async page =>
      fencesOf(await textOf(page))
        .flatMap(commandLinesOf)
        .flatMap(line => callyardsOf(line).map(argv => ({ page, argv, line }))),
    ),
  )
).flat()

test('the pages have examples', () => {
  expect(pages.length).toBeGreaterThan(8)
  expect(examples.length).toBeGreaterThan(100)
})

test('docs/README.md lists every page beside it', async () => {
  const index = await textOf('docs/README.md')
  const beside = pages.filter(page => /^docs\/(?!README)/.test(page)).map(page => page.replace('docs/', ''))
  expect(beside.filter(page => !index.includes(`](${page})`))).toEqual([])
})

test('the README has at most 120 lines', async () => {
  expect((await textOf('README.md')).trimEnd().split('\n').length).toBeLessThanOrEqual(120)
})

test('every callyard in a fence is parsed as a command that runs', async () => {
  for (const { page, argv, line } of examples) {
    const ran: string[] = []
    const tree = await buildTree(async command => {
      ran.push(getCommandPath(command))
    })
    await tree.parseAsync(argv, { from: 'user' }).catch((error: Error) => {
      throw new Error(`${page}: ${line}: ${error.message}`)
    })
    expect(ran, `${page}: ${line}`).toHaveLength(1)
  }
})

test('a mark of an example is one that the tests know', async () => {
  for (const page of pages) {
    for (const { language, mark } of fencesOf(await textOf(page))) {
      if (language === 'sh') expect(mark, page).toMatch(/^(background|not-run: .+)?$/)
      else expect(mark, page).toBe('')
    }
  }
})

test('the flags in the text exist', async () => {
  const known = new Set(
    commandsOf(await buildTree()).flatMap(command => command.options.map(({ long }) => long)),
  )
  known.add('--help')
  for (const page of pages) {
    const code = proseOf(await textOf(page)).match(/`[^`\n]+`/g) ?? []
    const flags = code
      // Flags of npm and of Node are not callyard's.
      .filter(each => !/^`(npm |NODE_OPTIONS=)/.test(each))
      .flatMap(each => each.match(/(?<![\w-])--[a-z][a-z-]*/g) ?? [])
    expect(
      flags.filter(flag => !known.has(flag)),
      page,
    ).toEqual([])
  }
})

/** The command lines of a shell script, of a session on a terminal, and of the steps of a pipeline. */
function commandLinesOf({ language, body }: Fence): string[] {
  const whole = body.replace(/\\\n\s*/g, '')
  const lines = whole.split('\n')
  if (language === 'sh') return lines.filter(line => !line.startsWith('#'))
  if (language === 'console') return lines.filter(line => line.startsWith('$ ')).map(line => line.slice(2))
  return lines.flatMap(line => /^\s*- (?:run: )?(callyard .*)$/.exec(line)?.[1] ?? [])
}
