// Writes scripts/chunks.json for `npm run chunks`: the modules that frequent commands import at run time, recorded in a starter project and
// a sandbox with a build that has a file for each module. Two runs write the same.
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { root } from './run-bundled.js'

/**
 * In an order in which each can run. Help stands for a command that needs a batch or a recording. Without `doctor`, which does at
 * once what others do only in a terminal, such as look for a newer version.
 */
const commands = {
  help: 'help flags --json',
  api: 'api POST /assistants/v1/assistants --body {"name":"Desk","welcomeMessage":"Hello","assistantSystemPrompt":"Answer."}',
  'batch status': 'batch status --help --all',
  'webhook show': 'webhook show --help --all',
  report: 'report --help --all',
  schema: 'schema assistant',
  validate: 'validate .',
  test: 'test',
  'call chat': 'call chat',
  demo: 'demo',
  'sandbox exec': 'sandbox exec --project . --pace 0 -- node --version',
  'profile list': 'profile list',
  plan: 'plan',
  apply: 'apply --yes',
  'faq push': 'faq push knowledge-bases/workshop.yaml --dry-run',
  'batch plan': 'batch plan people.csv --from +12025550100 --assistant front-desk --column to=phone',
  'call start': 'call start --from +12025550100 --to +12025550123 --assistant front-desk --yes',
  'call start, followed':
    'call start --from +12025550100 --to +12025550123 --assistant front-desk --yes --follow',
  'call list': 'call list',
}
const libraries = ['index', 'sandbox']

const folder = await realpath(await mkdtemp(join(tmpdir(), 'callyard-chunks-')))
const desk = join(folder, 'desk')
const home = join(folder, 'home')
const hook = join(folder, 'record.cjs')
/** Id of the process of each run: a command may start others. */
const pids = new Map()
try {
  await execa({ stdio: 'inherit' })('node', [join(root, 'scripts/build.js'), '--modules', folder])
  for (const part of ['bin', 'package.json'])
    await cp(join(root, part), join(folder, part), { recursive: true })
  for (const each of [desk, home]) await mkdir(each)
  await writeFile(join(desk, 'people.csv'), 'phone,name\n+12025550123,Ada\n')
  await writeFile(
    hook,
    "process.on('exit', () => require('fs').writeFileSync(`${__dirname}/${process.pid}.json`, JSON.stringify(Object.keys(require.cache))))",
  )
  const file = join(root, 'scripts/chunks.json')
  await writeFile(file, JSON.stringify(await record(), null, 2))
  await execa({ preferLocal: true, cwd: root })('biome', ['format', '--write', file])
} finally {
  await rm(folder, { recursive: true, force: true })
}

/** Returns the modules that each run imports late. */
async function record() {
  const sandbox = start('sandbox start', 'sandbox start --port 0 --pace 0 --json')
  const { baseUrl, apiKey } = await firstDocument(sandbox)
  const service = { CALLYARD_BASE_URL: baseUrl, CALLYARD_API_KEY: apiKey }
  await start(undefined, 'init .')
  for (const [name, line] of Object.entries(commands)) await start(name, line, service)
  const tail = start('webhook tail', 'webhook tail --port 0 --json', service)
  await firstDocument(tail)
  for (const each of [tail, sandbox]) {
    each.kill('SIGTERM')
    await each.catch(() => undefined)
  }
  for (const name of libraries)
    await run(`library ${name}`, ['--eval', `require('${join(folder, 'dist/library', name)}')`])
  return lateModules(JSON.parse(await readFile(join(folder, 'modules.json'), 'utf8')))
}

/** Returns the entries and the modules imported late that are among the files of each run. */
async function lateModules(modules) {
  const lateFiles = new Set(
    modules.flatMap(({ file, isEntry, lateImports }) => (isEntry ? [file, ...lateImports] : lateImports)),
  )
  const late = modules.filter(({ file }) => lateFiles.has(file))
  const runs = {}
  for (const [name, pid] of [...pids].sort()) {
    const loaded = JSON.parse(await readFile(join(folder, `${pid}.json`), 'utf8'))
    runs[name] = late
      .filter(({ file }) => loaded.includes(join(folder, 'dist', file)))
      .map(({ path }) => path)
      .sort()
  }
  return runs
}

function start(name, line, service) {
  return run(name, [join(folder, 'bin/callyard.js'), ...line.split(' ')], service)
}

/** Starts Node as on a machine where callyard was never used, so that the record is the same everywhere. */
function run(name, argv, service = {}) {
  const started = execa('node', argv, {
    cwd: desk,
    input: 'hello\n',
    extendEnv: false,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      CALLYARD_CONFIG_DIR: home,
      NODE_DISABLE_COMPILE_CACHE: '1',
      NODE_OPTIONS: `--require ${hook}`,
      ...service,
    },
  })
  if (name !== undefined) pids.set(name, started.pid)
  return started
}

async function firstDocument({ stdout }) {
  const [line] = await once(stdout, 'data')
  return JSON.parse(line)
}
