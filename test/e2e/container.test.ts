import { chmod, cp, mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../helpers/folders.ts'
import { lines } from '../helpers/json-lines.ts'
import { reservePort } from '../helpers/ports.ts'

// There is no container engine where these tests run: a script does what each line of the Dockerfile asks for, in folders.

const root = fileURLToPath(new URL('../..', import.meta.url))

interface Instruction {
  readonly name: string
  readonly text: string
}

/** The instructions of each stage; the first one is its FROM. */
async function readStages(): Promise<readonly (readonly Instruction[])[]> {
  const text = (await readFile(join(root, 'Dockerfile'), 'utf8')).replace(/\\\n\s*/g, '')
  const stages: Instruction[][] = []
  for (const line of text.split('\n')) {
    const [, name, rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    if (name === 'FROM') stages.push([])
    if (name !== undefined) stages.at(-1)?.push({ name, text: rest })
    else expect(line).toMatch(/^(#.*)?$/)
  }
  return stages
}

/** Files that .dockerignore includes: it excludes everything and lists exceptions. */
async function contextNames(): Promise<readonly string[]> {
  const [all, ...names] = (await readFile(join(root, '.dockerignore'), 'utf8'))
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
  expect(all).toBe('*')
  return names.map(name => /^!([\w.-]+)$/.exec(name)?.[1] ?? expect.fail(`${name} is not understood`))
}

/** Installs for real where this is set: it takes a minute. Else the repository's own libraries are there instead. */
const installs = process.env.CALLYARD_REQUIRE_CONTAINER !== undefined

/** Carries the stages out; where the files of the last one are. */
async function buildImage(stages: readonly (readonly Instruction[])[]): Promise<string> {
  const context = await contextNames()
  const folders = new Map<string, string>()
  let last = ''
  for (const stage of stages) {
    last = await temporaryFolder()
    let workdir = last
    for (const { name, text } of stage) {
      if (name === 'FROM') folders.set(/ AS (\w+)$/.exec(text)?.[1] ?? 'last', last)
      if (name === 'WORKDIR') {
        workdir = join(last, text)
        await mkdir(workdir, { recursive: true })
      }
      if (name === 'COPY') {
        const [, from, rest = ''] = /^(?:--from=(\w+) )?(.*)$/.exec(text) ?? []
        const sources = rest.split(' ')
        const target = join(workdir, sources.pop() ?? '')
        for (const source of sources) {
          if (from !== undefined) {
            const path = join(folders.get(from) ?? '', source)
            const isFile = target.endsWith('/') || target === workdir
            await cp(path, isFile ? join(target, basename(path)) : target, { recursive: true })
          } else {
            const names = source === '.' ? context : [source]
            for (const each of names) {
              expect(context).toContain(each)
              await cp(join(root, each), join(target, each), { recursive: true })
            }
          }
        }
      }
      if (name === 'RUN') {
        if (/^npm ci\b/.test(text) && !installs)
          await symlink(join(root, 'node_modules'), join(workdir, 'node_modules'))
        else {
          const env = {
            PATH: process.env.PATH,
            HOME: workdir,
            npm_config_cache: process.env.npm_config_cache,
          }
          await execa('sh', ['-c', text], { cwd: workdir, env, extendEnv: installs })
        }
      }
    }
  }
  return last
}

const value = (stage: readonly Instruction[], name: string) =>
  stage.find(each => each.name === name)?.text ?? expect.fail(`there is no ${name}`)

/** Parses `["node", "…"]` with paths inside the folder. */
function command(text: string, folder: string): string[] {
  const words: string[] = JSON.parse(/\[.*\]$/.exec(text)?.[0] ?? '[]')
  return words.map(word => (word.startsWith('/') ? join(folder, word) : word))
}

test('the image serves requests, reports healthy and stops on its stop signal', async () => {
  const stages = await readStages()
  const folder = await buildImage(stages)
  const last = stages.at(-1) ?? []
  expect((await readdir(join(folder, 'app'))).sort()).toEqual(['LICENSE', 'bin', 'dist', 'package.json'])

  // Anybody but root, with no home and nothing that it may write to.
  const isRoot = process.getuid?.() === 0
  await chmod(folder, 0o755)
  const user = isRoot ? { uid: 65_534, gid: 65_534 } : {}
  const [apiKey, token] = ['key-of-these-tests', 'token-of-these-tests']
  const env = {
    PATH: process.env.PATH,
    HOME: '/nonexistent',
    CALLYARD_API_KEY: apiKey,
    CALLYARD_SANDBOX_TOKEN: token,
  }
  const settings = {
    cwd: join(folder, value(last, 'WORKDIR')),
    env,
    extendEnv: false,
    reject: false,
    ...user,
  }
  const port = await reservePort()
  const [file = '', ...args] = command(value(last, 'ENTRYPOINT'), folder)
  expect(args.join(' ')).toContain('--host 0.0.0.0 --allow-remote')
  // Tests listen on loopback alone.
  const here = args.map(word => (word === '0.0.0.0' ? '127.0.0.1' : word))
  const service = execa(file, [...here, '--port', String(port), '--pace', '0'], settings)
  onTestFinished(async () => {
    service.kill('SIGKILL')
    await service
  })
  const printed = lines(service.stdout)
  expect((await printed.next()).value).toBe('The sandbox runs on')
  const baseUrl = (await printed.next()).value?.trim() ?? ''

  const exposed = value(last, 'EXPOSE')
  const healthcheck = value(last, 'HEALTHCHECK')
  expect(healthcheck).toContain(`127.0.0.1:${exposed}`)
  const check = async (at: number) => {
    const [program = '', ...words] = command(healthcheck.replace(exposed, String(at)), folder)
    return (await execa(program, words, settings)).exitCode
  }
  expect(await check(port)).toBe(0)
  expect(await check(await reservePort())).toBe(1)

  const ask = async (path: string, key: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    return (await fetch(`${baseUrl}${path}`, { ...init, headers })).status
  }
  const tool = { method: 'POST', body: '{"type":"function"}' }
  expect(await ask('/assistants/v1/tools', apiKey, tool)).toBe(200)
  expect(await ask('/assistants/v1/tools', token, tool)).toBe(401)
  expect(await ask('/__sandbox/records', token)).toBe(200)
  expect(await ask('/__sandbox/records', apiKey)).toBe(401)

  expect(value(last, 'STOPSIGNAL')).toBe('SIGTERM')
  service.kill('SIGTERM')
  const { exitCode, stdout, stderr } = await service
  expect(exitCode).toBe(0)
  expect(`${stdout}${stderr}`).not.toMatch(new RegExp(`${apiKey}|${token}`))
})

test('the image runs without root and is based on an official image', async () => {
  const stages = await readStages()
  for (const [from] of stages) expect(from?.text).toMatch(/^node:\d+-alpine( AS \w+)?$/)
  const last = stages.at(-1) ?? []
  const names = last.map(({ name }) => name)
  expect(value(last, 'USER')).toBe('node')
  expect(names.indexOf('USER')).toBeLessThan(names.indexOf('ENTRYPOINT'))
  expect(names).not.toContain('RUN')
})
