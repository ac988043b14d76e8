import { describe, expect, test } from 'vitest'
import { loadCommandTable } from '../../../../src/cli/commands/completion/load-table.ts'
import { getCommandPath, hasAction } from '../../../../src/cli/commands/help/command-help.ts'
import { otherWords } from '../../../../src/cli/commands/help/other-words.ts'
import { unknownCommand } from '../../../../src/cli/commands/help/usage-error.ts'
import { testCli } from '../../../helpers/test-cli.ts'
import { buildTree, commandsOf } from './tree.ts'

const root = await buildTree()
const commands = commandsOf(root)
const table = await loadCommandTable(root)
const paths = commands.map(getCommandPath)
const groups = commands.filter(command => !hasAction(command))

describe('each word with a suggestion', () => {
  test.each([...otherWords.keys()])('%s', async typed => {
    expect(paths).not.toContain(`callyard ${typed}`)
    const cli = await testCli()
    const { exitCode, stdout, stderr } = await cli.run(...typed.split(' '))
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).not.toMatch(/there is no command|did you mean/i)
    const lines = stderr.trimEnd().split('\n')
    expect(lines).toHaveLength(2)
    expect(lines.filter(line => line.length > 80)).toEqual([])
    // What it names instead exists: at least the command, with its group.
    const named = [...stderr.matchAll(/callyard ((?:[a-z]+(?:-[a-z]+)* ?)+)/g)].map(([, words = '']) => words)
    for (const words of named) {
      const [noun = '', verb = ''] = words.split(' ')
      if (noun === 'help') continue
      expect(paths, stderr).toContain(`callyard ${noun}`)
      const group = groups.find(each => each.name() === noun)
      if (group !== undefined) expect(paths, stderr).toContain(`callyard ${noun} ${verb}`)
    }
  })
})

test('prints the response as the only document with --json', async () => {
  const cli = await testCli()
  const { stdout, exitCode } = await cli.run('--json', 'assistant', 'list')
  expect(exitCode).toBe(2)
  expect(JSON.parse(stdout)).toEqual({
    kind: 'error',
    error: {
      kind: 'usage',
      exitCode: 2,
      next: ['callyard help apply', 'callyard plan'],
      message: expect.stringContaining('can create assistants'),
      hint: expect.stringContaining('callyard apply'),
    },
  })
})

test.each([
  ['start', 'callyard call start or callyard sandbox start'],
  ['tail', 'callyard webhook tail'],
  ['trigger', 'callyard webhook trigger'],
  ['replay', 'callyard webhook replay'],
  ['show', 'callyard call show, callyard webhook show or callyard profile show'],
  ['create', 'callyard assistant create or callyard tool create'],
  ['connect', 'callyard call connect'],
])('a verb without its noun, %s, is completed', async (verb, meant) => {
  const cli = await testCli()
  const result = await cli.run(verb, '--to', '+12025550123')
  expect(result).toMatchObject({ exitCode: 2, stdout: '' })
  expect(result.stderr).toContain(`say what to ${verb}: ${meant}`)
})

/** Verbs of other tools, each near some command or none. */
const otherVerbs =
  `abort activate add alias apply archive ask attach audit backup batch begin build cancel chat check clean
  clear clone close commit compare connect copy create cut deactivate delete deploy describe diff disable disconnect dispatch
  download draft dump edit enable end eject exec exit export fetch find fix flush follow fork format get grant grep hang
  import info inspect install invite invoke join kill label last link lint list load lock log ls make merge migrate mock move
  mute new open pause ping play poll post preview probe prune publish pull purge push put query quit read rebuild receive
  record recreate refresh register reject release reload remove rename render repeat replace replay reply report reset resend
  resolve restart restore resume retry revert revoke rm rollback rotate run save scale search select send serve set share show
  shut sign skip slow sort split stage start stat status stop store stream submit suspend swap switch sync tag tail talk test
  touch trace track transfer trigger tune undo unlink unlock unmute unset update upgrade upload use validate verify view wait
  watch write`.split(/\s+/)

/** One letter away from a command that only shows something, or does what the word says. */
const harmless = new Set([
  'play',
  'sandbox stat',
  'batch play',
  'call last',
  'call lint',
  'call slow',
  'webhook reply',
  'webhook slow',
  'webhook relay positions last',
  'webhook relay positions lint',
  'profile slow',
  'profile last',
  'profile lint',
])

test.each(groups.map(group => [getCommandPath(group), group] as const))(
  '%s never suggests a different command',
  (path, group) => {
    const nouns = path.split(' ').slice(1)
    const suggested: string[] = []
    for (const verb of otherVerbs) {
      if (paths.includes(`${path} ${verb}`)) continue
      const error = unknownCommand(group, verb, { table })
      expect(error.kind, verb).toBe('usage')
      if (/did you mean/i.test(`${error.message} ${error.hint}`)) suggested.push([...nouns, verb].join(' '))
    }
    expect(suggested.filter(typed => !harmless.has(typed))).toEqual([])
  },
)

test.each([
  [['call', 'strat'], 'callyard call start'],
  [['weebhook', 'tail'], 'callyard webhook'],
  [['tools', 'create'], 'callyard tool'],
  [['profile', 'usee'], 'callyard profile use'],
  [['validte', '.'], 'callyard validate'],
])('reports the typo %j', async (argv, meant) => {
  const cli = await testCli()
  const result = await cli.run(...argv)
  expect(result).toMatchObject({ exitCode: 2, stdout: '' })
  expect(result.stderr).toContain(`did you mean ${meant}?`)
})
