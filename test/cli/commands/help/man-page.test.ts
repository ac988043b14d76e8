import { execa } from 'execa'
import { expect, test } from 'vitest'
import { getCommandPath } from '../../../../src/cli/commands/help/command-help.ts'
import { manPage } from '../../../../src/cli/commands/help/man-page.ts'
import { buildTree, commandsOf } from './tree.ts'

const tree = await buildTree()
const page = await manPage(tree, '1.2.3')
/** Text of the page, for names of commands and flags. */
const plain = page.replaceAll('\\-', '-')

test('contains every command with its flags', () => {
  for (const command of commandsOf(tree).filter(each => each.commands.length === 0)) {
    const heading = `.SS "${getCommandPath(command).replace('callyard ', '')} `
    const section = plain.slice(plain.indexOf(heading)).slice(heading.length).split('\n.S')[0] ?? ''
    expect(plain).toContain(heading)
    for (const { flags, hidden } of command.options) {
      if (!hidden) expect(section).toContain(`\n.B ${flags}\n`)
    }
  }
})

test('has the flags of every command once, the exit codes and the environment', () => {
  expect(plain.match(/^\.B --no-input$/gm)).toHaveLength(1)
  for (const heading of [
    'NAME',
    'SYNOPSIS',
    'COMMANDS',
    'OPTIONS',
    'EXIT STATUS',
    'ENVIRONMENT',
    'SEE ALSO',
  ]) {
    expect(page).toContain(`\n.SH ${heading}\n`)
  }
  expect(plain).toContain('130  Cancelled')
  expect(plain).toContain('CALLYARD_CONFIG_DIR')
})

test('leaves no character to be read as a macro, a hyphen or a quote', () => {
  const known = /^\.(TH|SH|SS|TP|B|PP|RS|RE|ad|nf|fi|sp)\b/
  for (const line of page.split('\n')) {
    if (line.startsWith('.')) expect(line).toMatch(known)
    expect(line).toMatch(/^[\x20-\x7e]*$/)
    expect(line.startsWith("'")).toBe(false)
  }
})

test('is rendered without a warning, on 80 columns', { tags: 'groff' }, async () => {
  const { stdout: printed, stderr } = await execa('groff', ['-man', '-ww', '-Tutf8', '-P-c', '-rLL=80n'], {
    input: page,
  })
  // Bold is a character printed over itself.
  const stdout = printed.replace(/.\x08/g, '')
  expect(stderr).toBe('')
  expect(stdout.split('\n').filter(line => line.length > 80)).toEqual([])
  expect(stdout).toContain('"the call may have been placed; not retried"')
  expect(stdout).toMatch(
    /--status <status>\n +Show only this status \(repeatable\) \{queued, ongoing, finished,/,
  )
})
