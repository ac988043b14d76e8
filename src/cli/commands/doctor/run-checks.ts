import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import manifest from '../../../../package.json' with { type: 'json' }
import { loadTunnel } from '../../../events/tunnel/index.ts'
import { atMost } from '../../../lib/clock.ts'
import type { Environment } from '../../../lib/environment.ts'
import { CallyardError, getErrorReason } from '../../../lib/error.ts'
import { configFile } from '../../../lib/fs/user-folders.ts'
import { canListen, findPortOwner } from '../../../lib/net/port-owner.ts'
import { freeBytes, machine } from '../../../lib/process/machine.ts'
import { assertLastLockfile } from '../../../project/apply/index.ts'
import { lockfileLocation, readLockfile } from '../../../project/lockfile/index.ts'
import { findResources, loadProjectFiles, openProjectFiles } from '../../../project/resources/index.ts'
import { loadBrokerProbe } from '../../../relay/index.ts'
import { loadProbe, sandboxTeam } from '../../../service/api/index.ts'
import { readProfiles, readServiceRules, type Settings } from '../../../service/profile/index.ts'
import type { MessageText } from '../../shell/advice.ts'
import type { Context } from '../../shell/context.ts'
import { latestVersion } from '../newer-version.ts'
import { connectionOptions, serversOf } from '../webhook/broker-flags.ts'
import * as assess from './checks.ts'
import { findCompletion } from './find-completion.ts'

type Diagnosis = assess.Diagnosis

/** Milliseconds for one check; they run side by side. */
const timeoutMs = 5000
const tailPort = 4011

/** Runs every check, in the order in which they are shown. Reads and asks, and changes nothing. */
export async function runChecks(
  context: Context,
): Promise<readonly (Diagnosis & { readonly check: string })[]> {
  const settings = context.settings().catch(async (error: unknown) => problemOf(error, context))
  /** For checks that need the settings. */
  const withSettings = (check: (settings: Settings) => Promise<Diagnosis> | Diagnosis) => async () => {
    const read = await settings
    return 'status' in read ? assess.skipped('the settings cannot be read') : check(read)
  }
  const checks: Readonly<Record<string, () => Promise<Diagnosis> | Diagnosis>> = {
    Node: () => assess.assessNode(machine),
    callyard: () => assess.assessVersion(manifest.version, latestVersion(context.env, context.host.platform)),
    'Config folder': () => checkConfig(context),
    Settings: async () => {
      const read = await settings
      return 'status' in read
        ? read
        : assess.assessSettings(read, await messageOf(read.unknownProfile, context))
    },
    'API key': withSettings(async read => assess.assessKey(read, await messageOf(read.missing, context))),
    Service: withSettings(read => checkService(read, context)),
    Port: () => checkPort(tailPort),
    Tunnels: async () => assess.assessTunnel(await (await loadTunnel()).installedPresets(context)),
    Completion: async () => assess.assessCompletion(await findCompletion(context.env)),
    Project: withSettings(read => checkProject(read, context)),
    Lockfile: withSettings(read => checkLockfile(read, context)),
    Disk: async () => assess.assessDisk(await freeBytes(dirname(configFile(context.env)))),
    Broker: () => checkBroker(context),
  }
  return Promise.all(
    Object.entries(checks).map(async ([check, run]) => ({ check, ...(await bounded(run, context)) })),
  )
}

/** A check that fails or takes too long is a problem of its own. */
async function bounded(check: () => Promise<Diagnosis> | Diagnosis, context: Context): Promise<Diagnosis> {
  const { clock, signal } = context
  let diagnosis: Diagnosis = assess.problem({
    message: `no result within ${timeoutMs / 1000} s`,
    hint: 'run it again with --debug, or check the network and the disk',
  })
  const work = Promise.resolve()
    .then(check)
    .catch(error => problemOf(error, context))
    .then(finding => {
      diagnosis = finding
    })
  await atMost(timeoutMs, work, clock)
  signal.throwIfAborted()
  return diagnosis
}

async function problemOf(error: unknown, context: Context): Promise<Diagnosis> {
  return assess.problem(await messageOf(error, context))
}

async function messageOf(error: unknown, context: Context): Promise<MessageText> {
  const worded = context.withHints(error)
  if (worded instanceof CallyardError) return { message: worded.message, hint: worded.hint }
  return { message: worded === undefined ? '' : getErrorReason(worded) }
}

async function checkConfig({ env, files: { uid }, host: { platform } }: Context): Promise<Diagnosis> {
  const file = configFile(env)
  const folder = dirname(file)
  const entry = await stat(folder).catch(() => undefined)
  if (entry === undefined) return assess.assessConfig({ folder })
  const fileEntry = await stat(file).catch(() => undefined)
  return assess.assessConfig({
    folder,
    access: {
      isWritable: await access(folder, constants.W_OK).then(
        () => true,
        () => false,
      ),
      isOwn: uid === undefined || entry.uid === uid,
      fileMode: platform === 'win32' ? undefined : fileEntry?.mode,
      damage: [...(await readProfiles(env)).warnings, ...(await findDamagedRules(env))],
    },
  })
}

/** Rules that cannot be read are an error for every change. */
async function findDamagedRules(env: Environment): Promise<readonly string[]> {
  return readServiceRules('', env).then(
    () => [],
    error => [getErrorReason(error)],
  )
}

async function checkService({ baseUrl }: Settings, { env, clock, signal }: Context): Promise<Diagnosis> {
  const url = baseUrl.value
  if (url === undefined) return assess.skipped('no base URL')
  const options = { env, clock, signal, timeoutMs }
  const { probeService } = await loadProbe()
  const [probe, team] = await Promise.all([probeService(url, options), sandboxTeam(url, options)])
  return assess.assessService(url, { ...probe, isSandbox: team !== undefined }, clock.now())
}

async function checkPort(port: number): Promise<Diagnosis> {
  const free = await canListen(port, '127.0.0.1')
  return assess.assessPort(port, free, free === true ? undefined : await findPortOwner(port))
}

async function checkProject({ project, vocabulary }: Settings, { files, cwd }: Context): Promise<Diagnosis> {
  if (project === undefined) return assess.skipped('not in a project', 'to create one: callyard init')
  const { checkResources } = await loadProjectFiles()
  const options = { ...files, cwd, vocabulary: vocabulary.value }
  const projectFiles = openProjectFiles(await findResources(dirname(project.file), cwd), options)
  const { resources, findings: projectFindings } = await checkResources(projectFiles)
  const diagnostics = [...resources.flatMap(({ checked }) => checked.diagnostics), ...projectFindings]
  const number = (severity: string) =>
    diagnostics.filter(diagnostic => diagnostic.severity === severity).length
  return assess.assessProject({
    files: resources.length,
    errors: number('error'),
    warnings: number('warning'),
  })
}

async function checkLockfile({ project }: Settings, context: Context): Promise<Diagnosis> {
  if (project === undefined) return assess.skipped('not in a project')
  await assertLastLockfile({}, context)
  const { path, name } = lockfileLocation(dirname(project.file), context)
  const { lockfile, text, journal } = await readLockfile(path, name)
  return assess.assessLockfile(
    text === undefined ? undefined : Object.keys(lockfile.targets),
    journal !== undefined,
  )
}

async function checkBroker(context: Context): Promise<Diagnosis> {
  const { NATS_URL } = context.env
  if (NATS_URL === undefined || NATS_URL === '') return assess.skipped('NATS_URL is not set')
  const { probeBroker } = await loadBrokerProbe()
  const options = connectionOptions(serversOf(NATS_URL), {}, context)
  const { server, version } = await probeBroker({ ...options, timeoutMs })
  return assess.ok(`${server}, NATS ${version} with JetStream`)
}
