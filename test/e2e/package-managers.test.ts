import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa, execaSync } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod/mini'
import { packedPackage } from '../../scripts/pack.js'
import { everyCase } from '../helpers/every-case.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { lines } from '../helpers/json-lines.ts'
import { startTarget } from '../helpers/target-server.ts'

/** Commands of a package manager that install the tarball into a folder with a package.json, and run it. */
interface Manager {
  readonly install: readonly string[]
  readonly files?: Readonly<Record<string, string>>
  /** Arguments that print the path of the program; where it is absent, the program is node_modules/.bin/callyard. */
  readonly path?: readonly string[]
  readonly env?: (folder: string) => Readonly<Record<string, string>>
}

const managers = {
  npm: { install: ['install', '--no-audit', '--no-fund'] },
  pnpm: { install: ['add'] },
  // Plug'n'Play: the package stays in a zip file, and fs is Yarn's.
  yarn: {
    install: ['add'],
    files: {
      '.yarnrc.yml': 'nodeLinker: pnp\nenableTelemetry: false\nenableGlobalCache: false\n',
      'yarn.lock': '',
    },
    path: ['bin', 'callyard'],
    env: folder => ({ NODE_OPTIONS: `--require ${join(folder, '.pnp.cjs')}` }),
  },
  bun: { install: ['add'] },
} as const satisfies Record<string, Manager>

/**
 * Yarn differs most: it leaves the package in its zip file. What npm installs runs a starter project above. `npm run attack -- cases` has
 * all of them.
 */
const names = everyCase ? (['npm', 'pnpm', 'yarn', 'bun'] as const) : (['yarn'] as const)

// Where this is set, these managers must be there; elsewhere a missing one is not the developer's fault.
const required = (process.env.CALLYARD_REQUIRE_PACKAGE_MANAGERS ?? '').split(' ')

/** Why a manager cannot be tried; Yarn 1 has no Plug'n'Play. */
function absent(name: string): string | undefined {
  if (required.includes(name)) return undefined
  const { failed, stdout } = execaSync(name, ['--version'], { reject: false })
  if (failed) return `no ${name} (package ${name})`
  return name === 'yarn' && stdout.startsWith('1.') ? 'no Yarn 2 or later (package yarn)' : undefined
}

const tarball = await packedPackage()

/** Installs the tarball into an empty folder; settings of the person and of the machine stay out of it. */
async function installWith(name: (typeof names)[number]) {
  const manager: Manager = managers[name]
  const folder = await temporaryFolder()
  const home = await temporaryFolder()
  await writeFile(join(folder, 'package.json'), '{ "name": "desk", "private": true }\n')
  for (const [file, text] of Object.entries(manager.files ?? {})) await writeFile(join(folder, file), text)
  const env = { PATH: process.env.PATH, HOME: home, CALLYARD_CONFIG_DIR: join(home, 'callyard') }
  const isolated = { cwd: folder, env, extendEnv: false } as const
  const spec = name === 'yarn' ? `callyard@file:${tarball}` : tarball
  const installed = await execa(name, [...manager.install, spec], { ...isolated, all: true })
  const found = manager.path === undefined ? undefined : await execa(name, manager.path, isolated)
  const command =
    found === undefined ? [join(folder, 'node_modules/.bin/callyard')] : [process.execPath, found.stdout]
  return { folder, output: installed.all, command, env: { ...env, ...manager.env?.(folder) } }
}

/** Scripts that npm runs or warns about when a package is installed. */
const installScripts = [
  'preinstall',
  'install',
  'postinstall',
  'prepublish',
  'preprepare',
  'prepare',
  'postprepare',
]

const manifestSchema = z.looseObject({ man: z.array(z.string()), scripts: z.record(z.string(), z.string()) })

test('the tarball has no install scripts, and contains its manual page and licenses', async () => {
  const folder = await temporaryFolder()
  await execa('tar', ['-xzf', tarball, '-C', folder])
  const installed = join(folder, 'package')
  const manifest: unknown = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  const { man, scripts } = manifestSchema.parse(manifest)
  expect(Object.keys(scripts).filter(name => installScripts.includes(name))).toEqual([])
  expect(man).toEqual(['dist/man/callyard.1'])
  const notices = await readFile(join(installed, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8')
  for (const each of notices.split(`\n${'-'.repeat(80)}\n`)) {
    expect(each).toMatch(/copyright|licen[cs]e/i)
    expect(each.length).toBeGreaterThan(400)
  }
})

test('a global installation links the command and its manual page, runs a starter project, and leaves nothing when removed', async () => {
  const prefix = await temporaryFolder()
  const home = await temporaryFolder()
  const env = { PATH: `${join(prefix, 'bin')}:${process.env.PATH}`, HOME: home }
  const isolated = { env, extendEnv: false, all: true } as const
  const npm = (...argv: string[]) =>
    execa('npm', [...argv, '--global', '--prefix', prefix, '--no-audit', '--no-fund'], isolated)
  const installed = await npm('install', tarball)
  expect(installed.all).not.toContain('warn')
  const page = join(prefix, 'share/man/man1/callyard.1')
  const bin = join(prefix, 'bin/callyard')
  expect(await readFile(page, 'utf8')).toContain('.TH "CALLYARD" 1')
  expect((await execa(bin, ['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+$/)

  const cwd = await temporaryFolder()
  await execa(bin, ['init'], { ...isolated, cwd })
  const run = async (...argv: string[]) => (await execa('npm', argv, { ...isolated, cwd })).all
  expect(await run('install', '--no-audit', '--no-fund')).not.toContain('warn')
  expect(await run('run', 'validate')).toContain('no errors')
  expect(await run('test')).toMatch(/\d+ passed/)
  expect(await run('run', 'plan')).toContain('to create')

  await npm('uninstall', 'callyard')
  expect([page, bin].filter(path => existsSync(path))).toEqual([])
})

const readySchema = z.looseObject({ baseUrl: z.string(), apiKey: z.string() })
const listeningSchema = z.looseObject({ url: z.string() })

test.for(names)('the main commands work if installed with %s', async (name, { skip }) => {
  const reason = absent(name)
  if (reason !== undefined) skip(reason)
  const { folder, output, command, env } = await installWith(name)
  const [file = '', ...before] = command
  const project = join(folder, 'bikes')
  const vars: Record<string, string | undefined> = { ...env }
  const start = (cwd: string, argv: readonly string[], input?: string) =>
    execa(file, [...before, ...argv], {
      cwd,
      env: vars,
      extendEnv: false,
      reject: false,
      ...(input === undefined ? { stdin: 'ignore' } : { input }),
    })
  const run = async (argv: readonly string[], input?: string) => {
    const { exitCode, stdout, stderr } = await start(project, argv, input)
    expect(exitCode, `${argv.join(' ')}\n${stderr}`).toBe(0)
    return stdout
  }
  const serve = async (...argv: string[]) => {
    const child = start(project, [...argv, '--port', '0', '--json'])
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await child
    })
    const ready: unknown = JSON.parse((await lines(child.stdout).next()).value ?? '')
    return { child, ready }
  }

  // npm 11 warns of packages with scripts that run at the installation.
  expect(output).not.toMatch(/script/i)
  await mkdir(project)
  await run(['init'])
  await run(['validate', '.'])

  const sandbox = await serve('sandbox', 'start', '--pace', '0')
  const { baseUrl, apiKey } = readySchema.parse(sandbox.ready)
  Object.assign(vars, { CALLYARD_BASE_URL: baseUrl, CALLYARD_API_KEY: apiKey })
  expect(await run(['apply', '--yes'])).toContain('2 created, 1 updated')
  expect(await readFile(join(project, 'callyard.lock.yaml'), 'utf8')).toContain('tool/book-appointment')
  expect(await run(['plan'])).toContain('Up to date')

  const heard = await run(
    ['call', 'chat', 'front-desk', '--var', 'name=Ada'],
    'When are you open?\nGoodbye\n',
  )
  expect(heard).toContain('Hello Ada')

  const target = await startTarget()
  await target.stop()
  const tailing = ['webhook', 'tail', '--record', 'calls.ndjson', '--forward', target.url] as const
  const tail = await serve(...tailing, '--rotate', '1b', '--drain', '1ms')
  const { url } = listeningSchema.parse(tail.ready)
  const statuses = ['queued', 'ongoing', 'finished']
  for (const status of statuses) {
    const event = { message: { type: 'status-update', call: { id: 'c1', status } } }
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify(event) })
    expect(answer.status).toBe(200)
  }
  tail.child.kill('SIGINT')
  expect(await tail.child).toMatchObject({ exitCode: 8 })
  // Each event is in a file of its own, and waits for a target that was down.
  expect(await readdir(project)).toEqual(expect.arrayContaining(['calls.1.ndjson', 'calls.2.ndjson']))
  const arrived = (times: number) =>
    new Promise<void>(resolve => {
      target.answer = response => {
        response.end('{}')
        if (target.arrivals.length === times) resolve()
      }
    })
  const resumed = arrived(statuses.length)
  await target.start()
  const second = await serve(...tailing, '--resume')
  await resumed
  second.child.kill('SIGINT')
  expect(await second.child).toMatchObject({ exitCode: 0 })
  await run(['webhook', 'replay', 'calls.ndjson', '--to', target.url, '--speed', 'max'])
  expect(target.arrivals.map(({ body }) => /"status":"(.*?)"/.exec(body.toString())?.[1])).toEqual([
    ...statuses,
    ...statuses,
  ])
  await run(['webhook', 'show', 'calls.ndjson', '--out', 'call.md'])
  expect(await readFile(join(project, 'call.md'), 'utf8')).toContain('c1')

  await run(['profile', 'add', 'desk', '--base-url', baseUrl, '--api-key-stdin'], apiKey)
  expect(await run(['profile', 'list'])).toContain('desk')
})
