import { describe, expect, test } from 'vitest'
import { chatCommands } from '../../../src/cli/commands/call/chat/lines.ts'
import { topicGuides, topicText } from '../../../src/cli/commands/help/topic-texts.ts'
import { topicNames, topics } from '../../../src/cli/shell/help-topics.ts'
import { testCli } from '../../helpers/test-cli.ts'
import { buildTree } from '../commands/help/tree.ts'

const root = await buildTree()

describe.each(topicNames)('help %s', name => {
  const text = topicText(name, root)
  const lines = text.trimEnd().split('\n')
  const guide = topicGuides[name]

  test('has 80 columns, and starts with a heading', () => {
    expect(lines.filter(line => [...line].length > 80)).toEqual([])
    expect(lines[0]).toMatch(/^[A-Z][A-Z -]+/)
    if (guide === undefined) expect(lines.length).toBeLessThanOrEqual(60)
    else expect(lines.at(-1)).toBe(`Guide: docs/${guide.page}`)
  })

  test('mentions only other topics that exist', () => {
    for (const [, words = ''] of text.matchAll(/callyard help ([a-z][a-z-]+(?:, (?!callyard)[a-z-]+)*)/g)) {
      for (const word of words.split(', ')) expect(['topics', ...topicNames]).toContain(word)
    }
    if (guide !== undefined) expect(text).not.toMatch(new RegExp(`callyard help ${name}\\b`))
  })
})

test.each(['files', 'flags'] as const)(
  'help %s is printed unchanged, and as a document with --json',
  async name => {
    const cli = await testCli()
    expect(await cli.run('help', name)).toEqual({ exitCode: 0, stdout: topicText(name, root), stderr: '' })
    const { stdout } = await cli.run('help', name, '--json')
    expect(JSON.parse(stdout)).toEqual({ topic: name, text: topicText(name, root).trimEnd() })
  },
)

test('help topics lists every topic on its own line', async () => {
  const cli = await testCli()
  const { stdout, exitCode } = await cli.run('help', 'topics')
  expect(exitCode).toBe(0)
  for (const name of topicNames) expect(stdout).toMatch(new RegExp(`^  ${name} +${topics[name]}$`, 'm'))
  expect(stdout.split('\n').filter(line => line.length > 80)).toEqual([])
  expect(stdout.split('\n').length).toBeLessThanOrEqual(60)
})

test('help flags has every flag of the root', async () => {
  for (const { long } of root.options) {
    expect(topicText('flags', root)).toMatch(new RegExp(`(^|, ) *${long}\\b`, 'm'))
  }
  expect(topicText('flags', root)).toContain('-h, --help')
})

test('help chat has every command of a chat', () => {
  for (const [command, does] of Object.entries(chatCommands)) {
    expect(topicText('chat', root)).toMatch(new RegExp(`^  ${command.replace('/', '\\/')} +${does}$`, 'm'))
  }
})
