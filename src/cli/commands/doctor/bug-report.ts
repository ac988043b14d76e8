import { dirname } from 'node:path'
import manifest from '../../../../package.json' with { type: 'json' }
import { homeFolder } from '../../../lib/fs/user-folders.ts'
import { isLoopback } from '../../../lib/net/address.ts'
import { createRedactor } from '../../../service/api/index.ts'
import type { Settings } from '../../../service/profile/index.ts'
import type { Context } from '../../shell/context.ts'
import type { Diagnosis } from './checks.ts'

type Checks = readonly (Diagnosis & { readonly check: string })[]

/** The checks as a text for a bug report: without keys, hosts, names of profiles, and folders of the user. */
export async function bugReport(checks: Checks, context: Context): Promise<string> {
  const settings = await context.settings().catch(() => undefined)
  const conceal = createConcealer(settings, context)
  const lines = checks.map(({ check, status, message }) => `- ${check}: ${status}, ${message}`)
  const set = Object.keys(context.env).filter(name => isOfInterest.test(name) && context.env[name])
  return conceal(
    [`callyard ${manifest.version}`, ...lines, `- Variables: ${set.sort().join(', ') || 'none'}`].join('\n'),
  )
}

/** Variables that change how callyard works; their values are left out. */
const isOfInterest =
  /^(CALLYARD_|NATS_|CI$|(https?|no)_proxy$|NODE_(EXTRA_CA_CERTS|OPTIONS)$|NO_COLOR$|FORCE_COLOR$)/i

/** Replaces what names the user, the service or its key. */
function createConcealer(settings: Settings | undefined, { env, cwd }: Context): (text: string) => string {
  const { baseUrl, profile, apiKey, project } = settings ?? {}
  const parts: readonly (readonly [part: string | undefined, name: string])[] = [
    [project && dirname(project.file), '<project>'],
    [cwd, '<folder>'],
    [env.CALLYARD_CONFIG_DIR, '<config>'],
    [env.HOME || homeFolder(), '~'],
    ...namesOf(baseUrl?.value, '<service>'),
    ...(env.NATS_URL ?? '').split(',').flatMap(server => namesOf(server.trim(), '<broker>')),
  ]
  const { text } = createRedactor(apiKey?.value ?? '')
  return report => {
    const named =
      profile?.value === undefined
        ? report
        : report.replace(`profile ${profile.value} (`, 'profile <profile> (')
    return text(
      parts.reduce(
        (rest, [part, name]) => (part === undefined || part.length < 2 ? rest : rest.replaceAll(part, name)),
        named,
      ),
    ).replace(/\b(?!127\.)\d{1,3}(?:\.\d{1,3}){3}\b/g, '<address>')
  }
}

/** Forms in which an address occurs in messages; none for this machine. */
function namesOf(address: string | undefined, name: string): (readonly [string, string])[] {
  if (address === undefined || !URL.canParse(address)) return []
  const url = new URL(address)
  return isLoopback(url) ? [] : [address, url.host, url.hostname].map(form => [form, name] as const)
}
