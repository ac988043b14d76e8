import { once } from 'node:events'
import { chmod, cp, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/folders.ts'
import { lines } from '../helpers/json-lines.ts'
import { runBin } from '../helpers/run-bin.ts'
import { startStubApi } from '../helpers/stub-api.ts'
import { startInTerminal } from '../helpers/terminal.ts'

const argv = ['validate', 'tools/hours.yaml']

/** A project, and a folder for compiled code; `run` validates the project. */
async function projectFolder() {
  const cwd = await temporaryFolder()
  const cache = join(cwd, 'cache')
  await mkdir(join(cwd, 'tools'))
  await writeFile(
    join(cwd, 'tools/hours.yaml'),
    'type: function\nfunction: { name: hours, description: Opening hours }\nserver: { url: https://example.com/hours }\n',
  )
  const env = { XDG_CACHE_HOME: cache, CALLYARD_CONFIG_DIR: join(cwd, 'config') }
  return { cwd, cache, env, run: (more = {}) => runBin(argv, { cwd, env: { ...env, ...more } }) }
}

async function copyBuild(folder: string): Promise<string> {
  const copy = join(folder, 'copy')
  await mkdir(copy)
  for (const name of ['bin', 'dist', 'package.json'])
    await cp(new URL(`../../${name}`, import.meta.url), join(copy, name), { recursive: true })
  return copy
}

async function filesIn(cache: string) {
  const paths = await readdir(cache, { recursive: true })
  return paths.filter(path => path.endsWith('.code')).map(path => join(cache, path))
}

/** Sets an old time, so that a file that is written again shows. */
const long = new Date('2026-03-14T00:00:00Z')
const wasWritten = async (file: string) => (await stat(file)).mtimeMs !== long.getTime()

describe('compiled code', () => {
  test('is saved by the first run of a command for this user alone, and used by the next', async () => {
    const { cache, run } = await projectFolder()
    const first = await run()
    const files = await filesIn(cache)
    expect(files.map(file => file.split('/').at(-1)).sort()).toEqual(['callyard.code', 'validate.code'])
    for (const file of files) {
      expect((await stat(file)).mode & 0o777).toBe(0o600)
      await utimes(file, long, long)
    }
    expect(await run()).toEqual(first)
    expect(await Promise.all(files.map(wasWritten))).toEqual([false, false])
  })

  test('of a command that sends requests is used too, although it turns the optimizer off', async () => {
    const { cwd, cache, env } = await projectFolder()
    const service = await startStubApi()
    const request = () => {
      service.answer('GET', '/calls', { json: { id: 'c1' } })
      const access = { CALLYARD_BASE_URL: service.baseUrl, CALLYARD_API_KEY: 'key' }
      return runBin(['api', 'GET', '/calls'], { cwd, env: { ...env, ...access } })
    }
    const first = await request()
    expect(first.exitCode).toBe(0)
    const files = await filesIn(cache)
    for (const file of files) await utimes(file, long, long)
    expect(await request()).toEqual(first)
    expect(await Promise.all(files.map(wasWritten))).toEqual(files.map(() => false))
    await service.close()
  })

  test.each<[string, (bytes: Buffer) => Uint8Array]>([
    ['a flipped bit', bytes => bytes.with(bytes.length >> 1, (bytes[bytes.length >> 1] ?? 0) ^ 1)],
    ['a lost end', bytes => bytes.subarray(0, bytes.length - 100)],
    ['nothing', () => Buffer.alloc(0)],
    ['zeros', bytes => Buffer.alloc(bytes.length)],
  ])('with %s is replaced', async (_, damage) => {
    const { cache, run } = await projectFolder()
    const first = await run()
    for (const file of await filesIn(cache)) {
      const bytes = await readFile(file)
      await writeFile(file, damage(bytes))
      await utimes(file, long, long)
    }
    expect(await run()).toEqual(first)
    expect(await Promise.all((await filesIn(cache)).map(wasWritten))).toEqual([true, true])
  })

  test('is neither read nor saved with NODE_DISABLE_COMPILE_CACHE, or where the folder cannot be made', async () => {
    const { cwd, cache, run } = await projectFolder()
    expect((await run({ NODE_DISABLE_COMPILE_CACHE: '1' })).exitCode).toBe(0)
    await expect(readdir(cache)).rejects.toThrow('ENOENT')
    await writeFile(join(cwd, 'file'), '')
    expect((await run({ XDG_CACHE_HOME: join(cwd, 'file') })).exitCode).toBe(0)
  })

  test('in a folder that others can write to is not used', async () => {
    const { cache, run } = await projectFolder()
    const first = await run()
    const files = await filesIn(cache)
    for (const file of files) await utimes(file, long, long)
    await chmod(join(cache, 'callyard'), 0o777)
    for (const file of files) await writeFile(file, 'code of somebody else')
    for (const file of files) await utimes(file, long, long)
    expect(await run()).toEqual(first)
    expect(await Promise.all(files.map(wasWritten))).toEqual([false, false])
  })

  test('of a chunk that was edited is not used, even if the length is the same', async () => {
    const { cwd, env } = await projectFolder()
    const copy = await copyBuild(cwd)
    const run = () => execa(process.execPath, [join(copy, 'bin/callyard.js'), ...argv], { cwd, env })
    expect((await run()).stdout).toContain('The files use')
    const chunks = join(copy, 'dist/chunks')
    for (const name of await readdir(chunks)) {
      const text = await readFile(join(chunks, name), 'latin1')
      if (text.includes('The files use'))
        await writeFile(join(chunks, name), text.replaceAll('The files use', 'Edited chunks'), 'latin1')
    }
    expect((await run()).stdout).toContain('Edited chunks')
    expect((await run()).stdout).toContain('Edited chunks')
  })

  test('is missing after an upgrade while a command runs, and the command says so', async () => {
    const { cwd, env } = await projectFolder()
    const copy = await copyBuild(cwd)
    const child = execa(process.execPath, [join(copy, 'bin/callyard.js'), 'mcp'], { cwd, env })
    const output = lines(child.stdout)
    const request = async (id: number, method: string, params: object) => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
      return (await output.next()).value
    }
    const clientInfo = { name: 'test', version: '1' }
    await request(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
    await rm(join(copy, 'dist/chunks'), { recursive: true })
    expect(await request(2, 'tools/call', { name: 'validate', arguments: {} })).toContain(
      'callyard was upgraded or removed while it was running',
    )
    child.stdin.end()
    await child
  })

  test('is missing after an upgrade, and a command that ends in a terminal does not look for newer versions', async () => {
    const { cwd, env } = await projectFolder()
    const copy = await copyBuild(cwd)
    const program = join(copy, 'bin/callyard.js')
    const terminal = startInTerminal(['profile', 'add', 'work'], { cwd, env, program })
    await terminal.shows(/Base URL/)
    const chunks = join(copy, 'dist/chunks')
    const [name, ...others] = (await readdir(chunks)).filter(each => each.startsWith('newer-version'))
    expect(others).toEqual([])
    await rm(join(chunks, name ?? ''))
    terminal.type('\u0003')
    expect(await terminal.exitCode).toBe(130)
    expect(terminal.screen).toContain('Cancelled')
    expect(terminal.screen).not.toContain('upgraded')
  })

  test('is missing after an upgrade, and a command that fails says why all the same', async () => {
    const { cwd, env } = await projectFolder()
    const copy = await copyBuild(cwd)
    const args = [join(copy, 'bin/callyard.js'), 'webhook', 'show', '-', '--json']
    const child = execa(process.execPath, args, { cwd, env, reject: false })
    // More than a pipe holds: the command reads.
    child.stdin.write('\n'.repeat(300_000))
    await once(child.stdin, 'drain')
    await rm(join(copy, 'dist/chunks'), { recursive: true })
    child.stdin.end('no recording\n'.repeat(2000))
    const { exitCode, stdout } = await child
    expect(exitCode).toBe(3)
    expect(JSON.parse(stdout)).toMatchObject({
      error: {
        kind: 'invalid',
        code: 'not-a-recording',
        message: expect.stringContaining('is not a recording'),
      },
    })
  })

  test('of processes that run at once is whole after the next run', async () => {
    const { cache, run } = await projectFolder()
    const [first, ...others] = await Promise.all(Array.from({ length: 4 }, () => run()))
    for (const other of others) expect(other).toEqual(first)
    await run()
    const files = await filesIn(cache)
    for (const file of files) await utimes(file, long, long)
    expect(await run()).toEqual(first)
    expect(await Promise.all(files.map(wasWritten))).toEqual([false, false])
  })

  test.each(['sandbox.js', 'sandbox.mjs'])(
    'of the library is used by the next process that loads %s',
    async entry => {
      const { cwd, cache, env } = await projectFolder()
      const file = new URL(`../../dist/library/${entry}`, import.meta.url)
      const program = `import(${JSON.stringify(file.href)}).then(async ({ startSandbox }) => {
  const sandbox = await startSandbox()
  console.log(String((await sandbox.call({ assistant: { welcomeMessage: 'Hello' }, caller: '/hangup' })).transcript))
  await sandbox.close()
})`
      const run = async () => (await execa(process.execPath, ['-e', program], { cwd, env })).stdout
      const first = await run()
      expect(first).toContain('Hello')
      const files = await filesIn(cache)
      expect(files.map(each => each.split('/').at(-1))).toEqual(['library.code'])
      for (const each of files) await utimes(each, long, long)
      expect(await run()).toBe(first)
      expect(await Promise.all(files.map(wasWritten))).toEqual([false])
    },
  )
})
