import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ExecaError, execa, execaSync } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyCase } from '../helpers/every-case.ts'
import { bin } from '../helpers/run-bin.ts'

const completions = fileURLToPath(new URL('../../completions', import.meta.url))
const helpers = fileURLToPath(new URL('../commands/completion', import.meta.url))
const script = (name: string) => join(completions, name)

// Where this is set, every shell must be there; elsewhere a missing zsh or fish is not the developer's fault.
const required = (process.env.CALLWRIGHT_REQUIRE_SHELLS ?? '').split(' ')
const missing = (shell: string) =>
  !required.includes(shell) && execaSync(shell, ['--version'], { reject: false }).failed

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
  folder = await mkdtemp(join(tmpdir(), 'callwright-completion-'))
  await mkdir(join(folder, 'bin'))
  await mkdir(join(folder, 'work/assistants'), { recursive: true })
  await mkdir(join(folder, 'config'))
  for (const file of ['callwright.yaml', 'tool.yaml', 'my file.yaml', 'assistants/desk.yaml']) {
    await writeFile(join(folder, 'work', file), '')
  }
  await writeFile(join(folder, 'work/callwright.lock.yaml'), lockfile)
  const profile = { baseUrl: 'https://calls.example.com', apiKey: 'key' }
  await writeFile(
    join(folder, 'config/config.json'),
    JSON.stringify({ profiles: { staging: profile, production: profile } }),
  )
  // The scripts ask the command line itself for what depends on the project and the machine.
  const program = join(folder, 'bin/callwright')
  await writeFile(program, `#!/bin/sh\necho noise >&2\nexec '${process.execPath}' '${bin}' "$@"\n`)
  await chmod(program, 0o755)
  env = {
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
    HOME: folder,
    CALLWRIGHT_CONFIG_DIR: join(folder, 'config'),
    XDG_CONFIG_HOME: folder,
    XDG_DATA_HOME: folder,
    TERM: 'xterm',
    LC_ALL: 'C.UTF-8',
    CALLWRIGHT_COMPLETIONS: completions,
    CALLWRIGHT_ZSH_SHELL: join(helpers, 'zsh-shell.zsh'),
    CALLWRIGHT_ZSH_DUMP: join(folder, 'zcompdump'),
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

/** A line, what must be among the offers, and what must not. */
const lines: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['callwright ', ['tool', 'call', 'webhook', 'completion', 'help'], ['create', 'tool.yaml']],
  ['callwright to', ['tool'], ['call']],
  ['callwright --json tool ', ['create', 'update'], ['tool', 'tool.yaml']],
  ['callwright --profile tool webhook ', ['tail'], ['create']],
  ['callwright --timeout=5s webhook ', ['tail'], []],
  ['callwright webhook tail --', ['--until', '--port', '--json', '--profile', '--help'], ['--version']],
  ['callwright webhook tail --until ', ['finished'], ['tool.yaml', '--port']],
  ['callwright webhook tail --host ', [], ['tool.yaml', '--port', 'finished']],
  ['callwright webhook tail --path ', [], ['tool.yaml']],
  ['callwright schema ', ['assistant', 'tool', 'knowledge-base'], ['tool.yaml']],
  ['callwright schema --json kn', ['knowledge-base'], ['tool']],
  ['callwright completion ', ['bash', 'zsh', 'fish', 'powershell'], []],
  ['callwright validate --kind ', ['assistant', 'tool'], ['tool.yaml']],
  ['callwright --profile ', ['production', 'staging'], ['tool', 'tool.yaml']],
  ['callwright tool create tool.yaml --profile ', ['production', 'staging'], ['tool.yaml']],
  ['callwright profile use ', ['production', 'staging'], ['tool.yaml']],
  ['callwright profile remove st', ['staging'], ['production']],
  ['callwright profile add ', [], ['production', 'tool.yaml']],
  ['callwright tool create to', ['tool.yaml'], ['tool']],
  ['callwright tool create -- to', ['tool.yaml'], []],
  ['callwright tool update ', ['book', 't-id-1'], ['tool.yaml', 'a-id-1', 'desk']],
  ['callwright tool update t1 ', ['tool.yaml'], ['book']],
  ['callwright plan --target ', ['europe', 'production'], ['tool.yaml']],
  ['callwright apply ', ['tool.yaml'], ['--yes', 'desk']],
  ['callwright apply --forget ', ['assistant/desk', 'kb/faq', 'tool/book'], ['tool.yaml', 't-id-1']],
  ['callwright apply --adopt tool/', ['tool/book='], ['kb/faq=']],
  ['callwright call chat ', ['desk', 'a-id-1', 'tool.yaml'], ['book', '--var']],
  ['callwright call chat de', ['desk'], ['tool.yaml']],
  ['callwright call start --assistant ', ['desk', 'a-id-1', 'tool.yaml'], ['t-id-1']],
  ['callwright call start --assistant-id ', ['a-id-1'], ['desk', 'tool.yaml']],
  ['callwright faq push tool.yaml --kb ', ['faq', 'k-id-1'], ['tool.yaml']],
  ['callwright sandbox start --fault ', ['drop', 'duplicate'], ['429', 'tool.yaml']],
  ['callwright sandbox start --fault drop,re', ['drop,reorder'], ['drop,duplicate']],
  ['callwright sandbox start --fault-http ', ['429', 'reset'], ['drop']],
  ['callwright api ', ['GET', 'PATCH'], ['tool.yaml']],
  ['callwright api GE', ['GET'], ['PATCH']],
  ['callwright webhook tail --forward ', ['status-update='], ['--ui', 'tool.yaml']],
  ['callwright tool update t1 to', ['tool.yaml'], []],
  ['callwright validate tool.yaml to', ['tool.yaml'], []],
  ['callwright call start --overrides to', ['tool.yaml'], []],
  ['callwright help ', ['tool', 'call', 'exit-codes', 'environment'], ['help', 'tool.yaml']],
  ['callwright help webhook ', ['tail'], ['create']],
  ['callwright help webhook tail ', [], ['tail', '--port', 'tool.yaml']],
  ['callwright call start --var a=1 --to 1 --v', ['--var'], ['--to']],
  ['callwright call start --var a=1 --to 1 --', ['--var', '--from'], ['--to', '--version']],
  ['callwright webhook tail --tunnel --p', ['--port', '--path'], ['tool.yaml']],
]

/** The scripts read the same table: bash or zsh completes each line, and fish a third of them. */
const linesOf = (...thirds: readonly number[]) =>
  everyCase ? lines : lines.filter((_, index) => thirds.includes(index % 3))

function expectOffers(offered: readonly string[], wanted: readonly string[], unwanted: readonly string[]) {
  expect(offered).toEqual(expect.arrayContaining([...wanted]))
  expect(offered.filter(offer => unwanted.includes(offer))).toEqual([])
}

describe('the command table', () => {
  let table: string
  const asked = [
    ['--at=web', '--'],
    ['--at=--fo', '--', 'apply'],
    ['--at=fin', '--', 'webhook', 'tail', '--until'],
    ['--at=', '--', 'apply', '--forget'],
    ['--at=st', '--', '--profile'],
  ]
  const answers = (program: string) =>
    Promise.all(asked.map(argv => run(process.execPath, program, '__complete', ...argv)))

  beforeAll(async () => {
    const installed = dirname(dirname(bin))
    for (const part of ['bin', 'dist'])
      await cp(join(installed, part), join(folder, 'installed', part), { recursive: true })
    table = join(folder, 'installed/dist/completion.json')
  })

  test('is read by completion', async () => {
    const text = await readFile(table, 'utf8')
    await writeFile(table, text.replaceAll('"--forget"', '"--forgotten"'))
    expect((await answers(join(folder, 'installed/bin/callwright.js')))[1]).toMatch(/^--forgotten\t/m)
  })

  test.each([
    ['missing', undefined],
    ['empty', ''],
    ['cut off', '{"value":"callwright","flags":['],
    ['of another form', '{"commands":{}}'],
  ])('is not required: %s', async (_, damaged) => {
    if (damaged === undefined) await rm(table)
    else await writeFile(table, damaged)
    expect(await answers(join(folder, 'installed/bin/callwright.js'))).toEqual(await answers(bin))
  })
})

describe('bash', () => {
  const complete = async (...line: string[]) =>
    words(await run('bash', join(helpers, 'bash-complete.bash'), script('callwright.bash'), ...line))

  test('reads the script', async () => {
    await run('bash', '-n', script('callwright.bash'))
  })

  test.each(linesOf(0, 2))('%s', async (line, wanted, unwanted) => {
    // Readline cuts words at = too.
    const cut = line
      .split(' ')
      .flatMap(word => word.split(/(=)/).filter((part, at) => at === 0 || part !== ''))
    expectOffers(await complete(...cut), wanted, unwanted)
  })

  test('completes after = and : as readline cuts them', async () => {
    expect(await complete('callwright', 'webhook', 'tail', '--until', '=')).toEqual(['finished'])
    expect(await complete('callwright', 'webhook', 'tail', '--until', '=', 'fi')).toEqual(['finished'])
    expect(await complete('callwright', '--profile', '=', 'st')).toEqual(['staging'])
    expect(await complete('callwright', 'apply', '--forget', 'kb/faq', ':')).toEqual(['e1'])
    expect(
      await complete('callwright', '--base-url', 'http', ':', '//127.0.0.1', ':', '1', 'webhook', ''),
    ).toEqual(['tail', 'replay', 'trigger', 'show', 'relay'])
    expect(await complete('callwright', 'call', 'start', '--overrides', '=', 'my')).toEqual(['my file.yaml'])
  })

  test('quotes a name where files are offered too', async () => {
    expect(await complete('callwright', 'call', 'chat', 'dol')).toEqual(['dollar\\$\\(touch\\ x\\)'])
  })
})

describe.skipIf(missing('zsh'))('zsh', () => {
  beforeAll(async () => {
    const dump =
      'fpath=($CALLWRIGHT_COMPLETIONS $fpath); autoload -Uz compinit; compinit -u -d $CALLWRIGHT_ZSH_DUMP'
    await run('zsh', '-f', '-c', dump)
  })

  const complete = async (line: string) => {
    const terminal = await run('zsh', '-f', join(helpers, 'zsh-capture.zsh'), line)
    return [...terminal.matchAll(/\x02([^\r\n]*)/g)].flatMap(match => match[1] ?? [])
  }

  test('reads the script', async () => {
    await run('zsh', '-n', script('_callwright'))
  })

  test.each(linesOf(1))('%s', async (line, wanted, unwanted) => {
    expectOffers(await complete(line), wanted, unwanted)
  })

  test('completes after =', async () => {
    expect(await complete('callwright webhook tail --until=')).toEqual(['finished'])
    expect(await complete('callwright --profile=st')).toEqual(['staging'])
    expect(await complete('callwright call start --overrides=my')).toEqual(['my\\ file.yaml'])
  })

  test('also works if sourced', async () => {
    expect(
      await run(
        'zsh',
        '-f',
        '-c',
        `autoload -Uz compinit; compinit -u -D; source ${script('_callwright')}; print $_comps[callwright]`,
      ),
    ).toBe('_callwright')
  })
})

describe.skipIf(missing('fish'))('fish', () => {
  const offers = async (line: string) => {
    const text = await run(
      'fish',
      '--no-config',
      '-c',
      'source $argv[1]; complete -C $argv[2]',
      script('callwright.fish'),
      line,
    )
    return words(text)
  }
  const complete = async (line: string) => (await offers(line)).map(each => each.split('\t')[0] ?? '')

  test('reads the script', async () => {
    await run('fish', '--no-config', '-n', script('callwright.fish'))
  })

  test.each(linesOf(0))('%s', async (line, wanted, unwanted) => {
    expectOffers(await complete(line), wanted, unwanted)
  })

  test('completes after =', async () => {
    expect(await complete('callwright webhook tail --until=')).toEqual(['--until=finished'])
    expect(await complete('callwright --profile=st')).toEqual(['--profile=staging'])
    expect(await complete('callwright call start --overrides=my')).toEqual(['--overrides=my file.yaml'])
    expect(await complete('callwright tool create ~/wo')).toEqual(['~/work/'])
    expect(await complete('callwright tool create my\\ ')).toEqual(['my file.yaml'])
  })

  test('shows descriptions of flags', async () => {
    expect(await offers('callwright webhook tail --po')).toEqual([
      '--port\tPort to listen on; 0 for a free one',
    ])
  })
})
