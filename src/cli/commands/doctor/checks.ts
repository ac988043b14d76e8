import type { Infer } from '../../../lib/lazy.ts'
import { isLoopback, withoutLogin } from '../../../lib/net/address.ts'
import type { PortOwner } from '../../../lib/net/port-owner.ts'
import { count } from '../../../lib/text/count.ts'
import { isOlder } from '../../../lib/text/version.ts'
import type { Settings } from '../../../service/profile/index.ts'
import type { MessageText } from '../../shell/advice.ts'
import type { SchemaBuilders } from '../../shell/schema-builders.ts'

export function checkSchema({ z, optional, required }: SchemaBuilders) {
  return z.object({
    check: required(z.string(), 'What was checked: Node, Settings, Service, …'),
    status: required(
      z.enum(['ok', 'warning', 'problem', 'skipped']),
      'The command exits with 8 if any is a problem; skipped: not used here, or impossible because of a problem',
    ),
    message: z.string(),
    remedy: optional(z.string(), 'What to do about it'),
  })
}

/** Result of one check. */
export type Diagnosis = Readonly<Omit<Infer<typeof checkSchema>, 'check'>>

export const ok = (message: string): Diagnosis => ({ status: 'ok', message })
export const skipped = (message: string, remedy?: string): Diagnosis => ({
  status: 'skipped',
  message,
  remedy,
})
const warning = (message: string, remedy: string): Diagnosis => ({ status: 'warning', message, remedy })
export const problem = ({ message, hint }: MessageText): Diagnosis => ({
  status: 'problem',
  message,
  remedy: hint,
})

/** The `engines` of package.json. */
export const minimumNode = '20.18.1'

export function assessNode({ node, system }: { readonly node: string; readonly system: string }): Diagnosis {
  return isOlder(node, minimumNode)
    ? problem({ message: `Node ${node} on ${system}`, hint: `install Node ${minimumNode} or later` })
    : ok(`${node} on ${system}`)
}

/** `latest`: version of the registry, as the last lookup found it. */
export function assessVersion(version: string, latest: string | undefined): Diagnosis {
  return latest !== undefined && isOlder(version, latest)
    ? warning(`${version}; ${latest} is available`, 'run npm install --global callyard')
    : ok(version)
}

export interface ConfigFacts {
  readonly folder: string
  /** Undefined if the folder does not exist. */
  readonly access?:
    | {
        readonly isWritable: boolean
        readonly isOwn: boolean
        /** Undefined without a file of profiles, or where files have no mode. */
        readonly fileMode: number | undefined
        /** Warnings of the store, such as damage. */
        readonly damage: readonly string[]
      }
    | undefined
}

/** Others could read the keys in a file with more than 0600. */
export function assessConfig({ folder, access }: ConfigFacts): Diagnosis {
  if (access === undefined) return ok(`${folder} (created when something is saved)`)
  const { isWritable, isOwn, fileMode = 0, damage } = access
  const [damaged] = damage
  if (damaged !== undefined)
    return problem({ message: damaged, hint: 'repair the file, or remove it and set up the profiles again' })
  if ((fileMode & 0o077) !== 0)
    return problem({
      message: `other users can access the keys in ${folder} (mode ${(fileMode & 0o777).toString(8).padStart(4, '0')})`,
      hint: `run chmod 600 ${folder}/config.json, and replace the keys`,
    })
  if (!isOwn)
    return warning(`${folder} belongs to another user`, 'set CALLYARD_CONFIG_DIR to a folder of your own')
  return isWritable
    ? ok(folder)
    : problem({ message: `${folder} is not writable`, hint: 'set CALLYARD_CONFIG_DIR to another folder' })
}

export function assessSettings(
  { profile, baseUrl, unknownProfile }: Settings,
  unknown: MessageText,
): Diagnosis {
  if (unknownProfile !== undefined) return problem(unknown)
  const from = ({ value, from }: Settings['baseUrl']) =>
    value === undefined ? 'none' : `${withoutLogin(value)} (${from})`
  const words = `profile ${from(profile)}, base URL ${from(baseUrl)}`
  return baseUrl.value === undefined
    ? warning(words, 'run callyard profile add <name>; to try it locally: callyard sandbox start')
    : ok(words)
}

/** The key itself is never part of it, not even masked. */
export function assessKey(
  { baseUrl, apiKey, lockedKey, missing }: Settings,
  withheld: MessageText,
): Diagnosis {
  if (apiKey.value !== undefined) return ok(`present (${apiKey.from})`)
  if (lockedKey !== undefined) return ok(`encrypted (profile ${lockedKey.profile})`)
  if (baseUrl.value === undefined) return skipped('no base URL')
  if (missing !== undefined) return problem(withheld)
  return problem({
    message: 'no API key',
    hint: 'run callyard profile add <name>, or set CALLYARD_API_KEY',
  })
}

/** Beyond it, signatures and certificates are rejected. */
const maxSkewMs = 5 * 60_000

interface ServiceFacts {
  readonly status: number
  /** Milliseconds since the epoch; undefined if the service did not send it. */
  readonly time: number | undefined
  readonly proxy: string | undefined
  readonly isSandbox: boolean
}

export function assessService(
  url: string,
  { status, time, proxy, isSandbox }: ServiceFacts,
  now: number,
): Diagnosis {
  const how = [
    isSandbox ? 'a sandbox' : isLoopback(new URL(url)) ? 'on this machine' : 'TLS ok',
    ...(proxy === undefined ? [] : [`through ${proxy}`]),
  ].join(', ')
  const skew = time === undefined ? 0 : now - time
  if (Math.abs(skew) > maxSkewMs)
    return warning(
      `the clock is ${Math.round(Math.abs(skew) / 60_000)} min ${skew > 0 ? 'ahead of' : 'behind'} the service`,
      'set the clock of this machine, or synchronize it with NTP',
    )
  return status >= 500
    ? warning(`it responds with ${status} (${how})`, 'try again later, or ask who runs the service')
    : ok(`reachable (${how})`)
}

/** `canListen`: true, or the code of the error. */
export function assessPort(port: number, canListen: true | string, owner: PortOwner | undefined): Diagnosis {
  if (canListen === true) return ok(`${port} is free`)
  if (canListen !== 'EADDRINUSE')
    return problem({
      message: `cannot listen on ${port} (${canListen})`,
      hint: 'pass --port 0 to webhook tail',
    })
  return warning(`${port} is in use by ${ownerName(owner)}`, 'stop it, or pass --port 0 to webhook tail')
}

/** Only names: arguments may contain secrets. */
function ownerName(owner: PortOwner | undefined): string {
  if (owner === undefined) return 'another process'
  const names = owner.argv.map(word => word.replace(/^.*[\\/]/, '').replace(/\.[cm]?js$/, ''))
  const start = names.indexOf('callyard')
  const verbs = names.slice(start + 1).findIndex(name => !/^[a-z]+$/.test(name))
  const words = names.slice(start + 1, verbs === -1 ? undefined : start + 1 + verbs).slice(0, 2)
  const name = start === -1 ? (names[0] ?? 'a process') : ['callyard', ...words].join(' ')
  return `${name} (pid ${owner.pid})`
}

export function assessTunnel(installed: readonly string[]): Diagnosis {
  return installed.length === 0
    ? skipped('none installed', 'only webhooks from another machine need one: callyard help tunnels')
    : ok(installed.join(', '))
}

export interface CompletionFacts {
  /** Undefined for a shell without completion. */
  readonly shell: string | undefined
  /** Path of the script that was found, or where it belongs; undefined where only a line in a profile installs it. */
  readonly file: string | undefined
  readonly state: 'current' | 'stale' | 'missing'
}

export function assessCompletion({ shell, file, state }: CompletionFacts): Diagnosis {
  if (shell === undefined) return skipped('unknown shell', 'see callyard help shells')
  if (state === 'current') return ok(`installed for ${shell}`)
  const install = file === undefined ? 'see callyard help shells' : `callyard completion ${shell} > ${file}`
  return state === 'stale'
    ? warning(`${file} is from another version`, `run ${install}`)
    : skipped(`not installed for ${shell}`, `to install it: ${install}`)
}

export interface ProjectFacts {
  readonly files: number
  readonly errors: number
  readonly warnings: number
}

export function assessProject({ files, errors, warnings }: ProjectFacts): Diagnosis {
  const size = count(files, 'file')
  if (errors > 0)
    return problem({ message: `${count(errors, 'error')} in ${size}`, hint: 'run callyard validate .' })
  return warnings > 0
    ? warning(`${size}, ${count(warnings, 'warning')}`, 'run callyard validate .')
    : ok(`${size}, no errors`)
}

/** `isOpen`: an apply is running, or was killed. */
export function assessLockfile(targets: readonly string[] | undefined, isOpen: boolean): Diagnosis {
  if (isOpen)
    return warning('an apply is running, or was killed', 'run callyard plan, which finishes its records')
  if (targets === undefined || targets.length === 0) return ok('nothing is deployed yet')
  return ok(`${targets.length === 1 ? 'target' : 'targets'} ${targets.join(', ')}`)
}

const megabyte = 1024 ** 2

export function assessDisk(free: number | undefined): Diagnosis {
  if (free === undefined) return skipped('the free space cannot be read')
  const words = `${Math.floor(free / megabyte)} MB free for recordings and records`
  if (free < 50 * megabyte) return problem({ message: words, hint: 'free some space' })
  return free < 500 * megabyte ? warning(words, 'free some space before you record calls') : ok(words)
}
