import { type Environment, isInstalled } from '../../lib/environment.ts'
import { parseCommandLine } from '../../lib/process/command-line.ts'
import { webhookError } from '../errors.ts'

export type TunnelProgram = Awaited<ReturnType<typeof chooseProgram>>

/** The program that is wanted, and the listener that it is to lead to. */
export interface WantedProgram {
  /** Command as typed, or the name of a preset; undefined for the first installed preset. */
  readonly command: string | undefined
  readonly port: number
  /** The listener without its path, as this machine reaches it; default: 127.0.0.1. */
  readonly localUrl?: string | undefined
  /** Matches the public URL in a line of output: its first group, or the whole match. In the syntax of RE2; presets have their own. */
  readonly pattern?: string | undefined
  readonly cwd: string
  readonly env: Environment
  /** Whose rules split the command; default: this machine's. */
  readonly platform?: NodeJS.Platform
}

/**
 * Resolves the tunnel program: a command with `{port}` and `{url}` filled in, a preset by name, or the first installed preset. A pattern
 * finds the public URL in its output.
 * @throws CallyardError `usage` if no program is installed, the command or pattern cannot be parsed, or a program without a preset has no
 * pattern
 */
export async function chooseProgram(wanted: WantedProgram) {
  const { port, pattern, platform, localUrl = `http://127.0.0.1:${port}` } = wanted
  const command = wanted.command ?? (await firstInstalled(wanted))
  const preset = presetNamed(command.trim())
  if (preset !== undefined) {
    const { name, file } = preset
    return {
      name,
      command: { file, arguments: preset.arguments(port) },
      pattern: await compilePattern(pattern ?? preset.pattern),
    }
  }
  const typed = parseCommandLine(command, platform)
  if ('problem' in typed) {
    const isWindows = platform === 'win32'
    throw webhookError('usage', 'command-unreadable', { ...typed, runs: 'tunnel', isWindows })
  }
  const filled = [typed.file, ...typed.arguments].map(word =>
    word.replaceAll('{port}', String(port)).replaceAll('{url}', localUrl),
  )
  const [file = '', ...words] = filled
  const name = file.replace(/^.*[\\/]/, '').replace(/\.(?:exe|cmd)$/i, '')
  // A preset's program with words of the user's own prints what the preset knows.
  const source = pattern ?? tunnelPresets.find(preset => preset.file === name)?.pattern
  if (source === undefined)
    throw webhookError('usage', 'tunnel-unknown', { program: name, known: tunnelNames })
  return { name, command: { file, arguments: words }, pattern: await compilePattern(source) }
}

/** Compiles a pattern of RE2: a program prints what it likes, and each line takes linear time. */
async function compilePattern(source: string) {
  const { RE2JS, RE2JSException } = await import('re2js')
  try {
    const compiled = RE2JS.compile(source)
    return {
      /** Returns the first group, or the whole match. */
      match(text: string): string | undefined {
        const matcher = compiled.matcher(text)
        if (!matcher.find()) return undefined
        return (matcher.groupCount() > 0 ? matcher.group(1) : null) ?? matcher.group() ?? undefined
      },
    }
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    throw webhookError('usage', 'tunnel-pattern', { pattern: source, reason: error.message })
  }
}

/** Names of the presets whose program is installed. */
export async function installedPresets({ cwd, env }: Pick<WantedProgram, 'cwd' | 'env'>): Promise<string[]> {
  const found = tunnelPresets.map(async ({ name, file }) =>
    (await isInstalled(file, env, cwd)) ? [name] : [],
  )
  return (await Promise.all(found)).flat()
}

async function firstInstalled(wanted: WantedProgram): Promise<string> {
  const [name] = await installedPresets(wanted)
  if (name !== undefined) return name
  throw webhookError('usage', 'no-tunnel-program', { known: tunnelNames })
}

interface TunnelPreset {
  readonly name: string
  readonly file: string
  arguments(port: number): readonly string[]
  /** Matches a line of output; the first group is the public URL. */
  readonly pattern: string
}

/** Presets in order of preference: those without an account first, general tools last. */
const tunnelPresets: readonly TunnelPreset[] = [
  {
    name: 'cloudflared',
    file: 'cloudflared',
    arguments: port => ['tunnel', '--no-autoupdate', '--url', `http://127.0.0.1:${port}`],
    // INF |  https://four-random-words-here.trycloudflare.com  |; its errors name api.trycloudflare.com.
    pattern: 'https://[a-z0-9]+-[a-z0-9-]+\\.trycloudflare\\.com',
  },
  {
    name: 'localtunnel',
    file: 'lt',
    arguments: port => ['--port', String(port), '--local-host', '127.0.0.1'],
    pattern: 'your url is: (https?://\\S+)',
  },
  {
    name: 'ngrok',
    file: 'ngrok',
    arguments: port => ['http', `127.0.0.1:${port}`, '--log', 'stdout', '--log-format', 'logfmt'],
    // lvl=info msg="started tunnel" obj=tunnels name=command_line addr=http://localhost:4011 url=https://….ngrok-free.app
    pattern: 'msg="started tunnel".*\\burl=(https?://\\S+)',
  },
  {
    name: 'devtunnel',
    file: 'devtunnel',
    arguments: port => ['host', '--port-numbers', String(port), '--allow-anonymous'],
    // Connect via browser: https://abc.usw2.devtunnels.ms:4011, https://abc-4011.usw2.devtunnels.ms
    pattern: 'Connect via browser:.*?(https://[a-z0-9-]+-\\d+\\.[a-z0-9.-]*devtunnels\\.ms)(?:[^:]|$)',
  },
  {
    name: 'tailscale',
    file: 'tailscale',
    arguments: port => ['funnel', String(port)],
    // Available on the internet: (line end) https://machine.tailnet.ts.net/
    pattern: 'https://[a-z0-9-]+\\.[a-z0-9-]+\\.ts\\.net(?::\\d+)?',
  },
]

export const tunnelNames = tunnelPresets.map(({ name }) => name)

/** The preset of this name, which may also be the program's. */
export function presetNamed(name: string): TunnelPreset | undefined {
  return tunnelPresets.find(preset => preset.name === name || preset.file === name)
}
