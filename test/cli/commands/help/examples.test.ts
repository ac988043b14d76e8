import { parse } from 'shell-quote'
import { describe, expect, test } from 'vitest'
import { exampleLines, getCommandPath } from '../../../../src/cli/commands/help/command-help.ts'
import topicTexts from '../../../../src/cli/commands/help/topics?texts'
import { CliCommand } from '../../../../src/cli/shell/cli-command.ts'
import { callyardsOf } from '../../../helpers/callyard-lines.ts'
import { buildTree, commandsOf } from './tree.ts'

const onPages = commandsOf(await buildTree()).flatMap(command =>
  (command instanceof CliCommand ? command.examples : []).map(example => ({
    where: getCommandPath(command),
    example,
  })),
)
const inTopics = Object.entries(topicTexts).flatMap(([where, text]) =>
  [...text.matchAll(/^ +\$ ((?:.*\\\n)*.*)$/gm)].map(([, example = '']) => ({ where, example })),
)
const examples = [...onPages, ...inTopics]

test('pages and topics have examples', () => {
  expect(onPages.length).toBeGreaterThan(50)
  expect(inTopics.length).toBeGreaterThan(2)
})

describe('every example is parsed as a command that runs', () => {
  test.each(examples)('$where: $example', async ({ example }) => {
    const commandLines = callyardsOf(example)
    for (const argv of commandLines) {
      const ran: string[] = []
      const tree = await buildTree(async command => {
        ran.push(getCommandPath(command))
      })
      await tree.parseAsync(argv, { from: 'user' })
      expect(ran).toHaveLength(1)
    }
    expect(commandLines.length > 0 || !example.includes('callyard')).toBe(true)
  })
})

test.each(onPages)('$example is broken into lines that a shell joins again', ({ example }) => {
  const lines = exampleLines(example, 80)
  expect(parse(lines.join('\n').replace(/\\\n/g, ' '))).toEqual(parse(example))
  for (const line of lines) expect(line.length + 4).toBeLessThanOrEqual(80)
})
