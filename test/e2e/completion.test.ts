import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ExecaError, execa } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bin, root } from '../helpers/run-bin.ts'

const completions = fileURLToPath(new URL('../../completions', import.meta.url))
const helpers = fileURLToPath(new URL('../cli/commands/completion', import.meta.url))
const script = (name: string) => join(completions, name)

/** One target with a tool, an assistant and a knowledge base; and a name that must not reach a terminal. */
const lockfile = `version: 1
targets:
  europe:
    baseUrl: https://calls.example.com/
    salt: salt
    resources:
      assistant/desk: { id: a-id-1, body: {} }
      "assistant/dollar$(touch x)": { id: a-id-2, body: {} }
      tool/book: { id: t-id-1, body: {} }
      "tool/\\e[31mred": { id: t-id-2, body: {} }
      kb/faq: { body: { knowledgeBaseId: k-id-1 }, entries: { e1: hash } }
`

let folder: string
let env: Record<string, string>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'callyard-completion-'))
  await mkdir(join(folder, 'bin'))
  await mkdir(join(folder, 'work/assistants'), { recursive: true })
  await mkdir(join(folder, 'config'))
  for (const file of ['callyard.yaml', 'tool.yaml', 'my file.yaml', 'assistants/desk.yaml']) {
    await writeFile(join(folder, 'work', file), '')
  }
  await writeFile(join(folder, 'work/callyard.lock.yaml'), lockfile)
  const profile = { baseUrl: 'https://calls.example.com', apiKey: 'key' }
  await writeFile(
    join(folder, 'config/config.json'),
    JSON.stringify({ profiles: { staging: profile, production: profile } }),
  )
  // The scripts ask the command line itself for what depends on the project and the machine.
  const program = join(folder, 'bin/callyard')
  await writeFile(program, `#!/bin/sh\necho noise >&2\nexec '${process.execPath}' '${bin}' "$@"\n`)
  await chmod(program, 0o755)
  env = {
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
    HOME: folder,
    CALLYARD_CONFIG_DIR: join(folder, 'config'),
    XDG_CONFIG_HOME: folder,
    XDG_DATA_HOME: folder,
    TERM: 'xterm',
    LC_ALL: 'C.UTF-8',
    CALLYARD_COMPLETIONS: completions,
    CALLYARD_ZSH_SHELL: join(helpers, 'zsh-shell.zsh'),
    CALLYARD_ZSH_DUMP: join(folder, 'zcompdump'),
  }
})

afterAll(() => rm(folder, { recursive: true, force: true }))

async function run(shell: string, ...argv: string[]): Promise<string> {
  const { stdout } = await execa(shell, argv, { cwd: join(folder, 'work'), env, extendEnv: false }).catch(
    (error: ExecaError) => {
      throw new Error(`${shell}: ${error.message}`)
    },
  )
  return String(stdout)
}

const words = (text: string) => text.split('\n').filter(line => line !== '')

/**
 * A line, what must be among the offers, and what must not: one for each kind of answer that a script reads. What `callyard` answers to
 * other lines is tested in `commands/completion`.
 */
const lines: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['callyard ', ['tool', 'call', 'webhook', 'completion', 'help'], ['create', 'tool.yaml']],
  ['callyard --profile tool webhook ', ['tail'], ['create']],
  ['callyard webhook tail --', ['--until', '--port', '--json', '--profile', '--help'], ['--version']],
  ['callyard webhook tail --until ', ['finished'], ['tool.yaml', '--port']],
  ['callyard webhook tail --path ', [], ['tool.yaml']],
  ['callyard tool create tool.yaml --profile ', ['production', 'staging'], ['tool.yaml']],
  ['callyard tool create to', ['tool.yaml'], ['tool']],
  ['callyard tool create -- to', ['tool.yaml'], []],
  ['callyard tool update ', ['book', 't-id-1'], ['tool.yaml', 'a-id-1', 'desk']],
  ['callyard apply --adopt tool/', ['tool/book='], ['kb/faq=']],
  ['callyard call chat ', ['desk', 'a-id-1', 'tool.yaml'], ['book', '--var']],
  ['callyard sandbox start --fault drop,re', ['drop,reorder'], ['drop,duplicate']],
]

function expectOffers(offered: readonly string[], wanted: readonly string[], unwanted: readonly string[]) {
  expect(offered).toEqual(expect.arrayContaining([...wanted]))
  expect(offered.filter(offer => unwanted.includes(offer))).toEqual([])
}

describe('the command table', () => {
  let table: string
  const asked = [
    ['--at=web', '--'],
    ['--at=--fo', '--', 'apply'],
    ['--at=st', '--', '--profile'],
  ]
  const answers = (program: string) =>
    Promise.all(asked.map(argv => run(process.execPath, program, '__complete', ...argv)))
  let whole: readonly string[]

  beforeAll(async () => {
    for (const part of ['bin', 'dist'])
      await cp(join(root, part), join(folder, 'installed', part), { recursive: true })
    table = join(folder, 'installed/dist/completion.json')
    whole = await answers(bin)
  })

  test('is read by completion', async () => {
    const text = await readFile(table, 'utf8')
    await writeFile(table, text.replaceAll('"--forget"', '"--forgotten"'))
    expect((await answers(join(folder, 'installed/bin/callyard.js')))[1]).toMatch(/^--forgotten\t/m)
  })

  test.each([
    ['missing', undefined],
    ['empty', ''],
    ['cut off', '{"value":"callyard","flags":['],
    ['of another form', '{"commands":{}}'],
  ])('is not required: %s', async (_, damaged) => {
    if (damaged === undefined) await rm(table)
    else await writeFile(table, damaged)
    expect(await answers(join(folder, 'installed/bin/callyard.js'))).toEqual(whole)
  })
})

describe('bash', () => {
  const complete = async (...line: string[]) =>
    words(await run('bash', join(helpers, 'bash-complete.bash'), script('callyard.bash'), ...line))

  test('reads the script', async () => {
    await run('bash', '-n', script('callyard.bash'))
  })

  test.each(lines)('%s', async (line, wanted, unwanted) => {
    // Readline cuts words at = too.
    const cut = line
      .split(' ')
      .flatMap(word => word.split(/(=)/).filter((part, at) => at === 0 || part !== ''))
    expectOffers(await complete(...cut), wanted, unwanted)
  })

  test('completes after = and : as readline cuts them', async () => {
    expect(await complete('callyard', 'webhook', 'tail', '--until', '=')).toEqual(['finished'])
    expect(await complete('callyard', 'webhook', 'tail', '--until', '=', 'fi')).toEqual(['finished'])
    expect(await complete('callyard', '--profile', '=', 'st')).toEqual(['staging'])
    expect(await complete('callyard', 'apply', '--forget', 'kb/faq', ':')).toEqual(['e1'])
    expect(
      await complete('callyard', '--base-url', 'http', ':', '//127.0.0.1', ':', '1', 'webhook', ''),
    ).toEqual(['tail', 'replay', 'trigger', 'show', 'relay'])
    expect(await complete('callyard', 'call', 'start', '--overrides', '=', 'my')).toEqual(['my file.yaml'])
  })

  test('quotes a name where files are offered too', async () => {
    expect(await complete('callyard', 'call', 'chat', 'dol')).toEqual(['dollar\\$\\(touch\\ x\\)'])
  })
})

describe('zsh', { tags: 'zsh' }, () => {
  beforeAll(async () => {
    const dump =
      'fpath=($CALLYARD_COMPLETIONS $fpath); autoload -Uz compinit; compinit -u -d $CALLYARD_ZSH_DUMP'
    await run('zsh', '-f', '-c', dump)
  })

  const complete = async (line: string) => {
    const terminal = await run('zsh', '-f', join(helpers, 'zsh-capture.zsh'), line)
    return [...terminal.matchAll(/\x02([^\r\n]*)/g)].flatMap(match => match[1] ?? [])
  }

  test('reads the script', async () => {
    await run('zsh', '-n', script('_callyard'))
  })

  test.each(lines)('%s', async (line, wanted, unwanted) => {
    expectOffers(await complete(line), wanted, unwanted)
  })

  test('completes after =', async () => {
    expect(await complete('callyard webhook tail --until=')).toEqual(['finished'])
    expect(await complete('callyard --profile=st')).toEqual(['staging'])
    expect(await complete('callyard call start --overrides=my')).toEqual(['my\\ file.yaml'])
  })

  test('also works if sourced', async () => {
    expect(
      await run(
        'zsh',
        '-f',
        '-c',
        `autoload -Uz compinit; compinit -u -D; source ${script('_callyard')}; print $_comps[callyard]`,
      ),
    ).toBe('_callyard')
  })
})

describe('fish', { tags: 'fish' }, () => {
  const offers = async (line: string) => {
    const text = await run(
      'fish',
      '--no-config',
      '-c',
      'source $argv[1]; complete -C $argv[2]',
      script('callyard.fish'),
      line,
    )
    return words(text)
  }
  const complete = async (line: string) => (await offers(line)).map(offer => offer.split('\t')[0] ?? '')

  test('reads the script', async () => {
    await run('fish', '--no-config', '-n', script('callyard.fish'))
  })

  test.each(lines)('%s', async (line, wanted, unwanted) => {
    expectOffers(await complete(line), wanted, unwanted)
  })

  test('completes after =', async () => {
    expect(await complete('callyard webhook tail --until=')).toEqual(['--until=finished'])
    expect(await complete('callyard --profile=st')).toEqual(['--profile=staging'])
    expect(await complete('callyard call start --overrides=my')).toEqual(['--overrides=my file.yaml'])
    expect(await complete('callyard tool create ~/wo')).toEqual(['~/work/'])
    expect(await complete('callyard tool create my\\ ')).toEqual(['my file.yaml'])
  })

  test('shows descriptions of flags', async () => {
    expect(await offers('callyard webhook tail --po')).toEqual([
      '--port\tPort to listen on; 0 for a free one',
    ])
  })
})
