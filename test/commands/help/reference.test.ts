import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { referencePage } from '../../../scripts/documents.ts'
import { getCommandPath } from '../../../src/commands/help/command-help.ts'
import { buildTree, commandsOf } from './tree.ts'

const page = await referencePage()

test('docs/reference.md is what the commands say', async () => {
  const file = await readFile(new URL('../../../docs/reference.md', import.meta.url), 'utf8')
  expect(file === page, 'docs/reference.md is stale; run: npm run docs').toBe(true)
})

test('contains every command with its flags', async () => {
  for (const command of commandsOf(await buildTree()).filter(each => each.commands.length === 0)) {
    const [, section = ''] = page.split(`\n### ${getCommandPath(command)}\n`)
    const [marked = ''] = section.split('\n### ')
    const own = marked.replaceAll('\\', '')
    expect(own).toContain(command.description())
    for (const { flags, hidden } of command.options) {
      if (!hidden) expect(own).toContain(`| \`${flags}\` | `)
    }
  }
})
