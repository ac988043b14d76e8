import { type Environment, isInstalled } from '../../lib/environment.ts'
import { CallyardError } from '../../lib/error.ts'
import type { ProgramEnvironment } from '../../lib/process/program-environment.ts'

export type TunnelProgram = Awaited<ReturnType<typeof chooseProgram>>

/** The program that is wanted, and the listener that it is to lead to. */
export interface ProgramOptions {
  /** Command for the shell of the platform, or the name of a preset; undefined for the first installed preset. */
  readonly command: string | undefined
  readonly port: number
  /** The listener without its path, as this machine reaches it. */
  readonly localUrl: string
  /** Matches the public URL in a line of output: its first group, or the whole match. In the syntax of RE2; presets have their own. */
  readonly pattern?: string | undefined
  readonly cwd: string
  readonly env: ProgramEnvironment
}

/**
 * Resolves the tunnel program: a command with the port and the address of the listener for `{port}` and `{url}`, a preset by name, or the
 * first installed preset. A pattern finds the public URL in its output.
 * @throws CallyardError `usage` if no program is installed, a pattern is invalid, or a program without a preset has none
 */
export async function chooseProgram(options: ProgramOptions) {
  const { port, localUrl } = options
  const commandText = options.command ?? (await firstInstalled(options))
  const presetName = commandText.trim()
  const preset = tunnelPresets.find(({ name, file }) => name === presetName || file === presetName)
  const command =
    preset?.command(port) ?? commandText.replaceAll('{port}', String(port)).replaceAll('{url}', localUrl)
  const name = preset?.name ?? programName(command)
  // A preset's program with words of the user's own prints what the preset knows.
  const pattern = options.pattern ?? (preset ?? tunnelPresets.find(({ file }) => file === name))?.pattern
  if (pattern === undefined)
    throw new CallyardError(
      'usage',
      `the output of the tunnel program ${name} is not known (known: ${tunnelNames.join(', ')})`,
      {
        code: 'tunnel-unknown',
        hint: 'add the pattern of the public URL in its output, or start it yourself and use its URL',
        details: { program: name, known: tunnelNames },
      },
    )
  return { name, command, pattern: await compilePattern(pattern) }
}

/** Returns the name of the program that a command starts with, without its folder. */
function programName(command: string): string {
  const [, quoted, plain = command] = /^\s*(?:"([^"]+)"|(\S+))/.exec(command) ?? []
  return (quoted ?? plain).replace(/^.*[\\/]/, '').replace(/\.(?:exe|cmd)$/i, '')
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
    const reason = error.message
    throw new CallyardError('usage', `invalid pattern ${source} of the public URL: ${reason}`, {
      code: 'tunnel-pattern',
      hint: 'use a regular expression in the syntax of RE2, which has no look-around and no back-references',
      details: { pattern: source, reason },
    })
  }
}

/** Names of the presets whose program is installed. */
export async function installedPresets({
  cwd,
  env,
}: {
  readonly cwd: string
  readonly env: Environment
}): Promise<string[]> {
  const installedNames = tunnelPresets.map(async ({ name, file }) =>
    (await isInstalled(file, env, cwd)) ? [name] : [],
  )
  return (await Promise.all(installedNames)).flat()
}

async function firstInstalled(options: ProgramOptions): Promise<string> {
  const [name] = await installedPresets(options)
  if (name !== undefined) return name
  throw new CallyardError('usage', 'no supported tunnel program is installed', {
    code: 'no-tunnel-program',
    hint: installOne,
    details: { known: tunnelNames },
  })
}

interface TunnelPreset {
  readonly name: string
  readonly file: string
  command(port: number): string
  /** Matches a line of output; the first group is the public URL. */
  readonly pattern: string
}

/** Presets in order of preference: those without an account first, general tools last. */
const tunnelPresets: readonly TunnelPreset[] = [
  {
    name: 'cloudflared',
    file: 'cloudflared',
    command: port => `cloudflared tunnel --no-autoupdate --url http://127.0.0.1:${port}`,
    // INF |  https://four-random-words-here.trycloudflare.com  |; its errors name api.trycloudflare.com.
    pattern: 'https://[a-z0-9]+-[a-z0-9-]+\\.trycloudflare\\.com',
  },
  {
    name: 'localtunnel',
    file: 'lt',
    command: port => `lt --port ${port} --local-host 127.0.0.1`,
    pattern: 'your url is: (https?://\\S+)',
  },
  {
    name: 'ngrok',
    file: 'ngrok',
    command: port => `ngrok http 127.0.0.1:${port} --log stdout --log-format logfmt`,
    // lvl=info msg="started tunnel" obj=tunnels name=command_line addr=http://localhost:4011 url=https://….ngrok-free.app
    pattern: 'msg="started tunnel".*\\burl=(https?://\\S+)',
  },
  {
    name: 'devtunnel',
    file: 'devtunnel',
    command: port => `devtunnel host --port-numbers ${port} --allow-anonymous`,
    // Connect via browser: https://abc.usw2.devtunnels.ms:4011, https://abc-4011.usw2.devtunnels.ms
    pattern: 'Connect via browser:.*?(https://[a-z0-9-]+-\\d+\\.[a-z0-9.-]*devtunnels\\.ms)(?:[^:]|$)',
  },
  {
    name: 'tailscale',
    file: 'tailscale',
    command: port => `tailscale funnel ${port}`,
    // Available on the internet: (line end) https://machine.tailnet.ts.net/
    pattern: 'https://[a-z0-9-]+\\.[a-z0-9-]+\\.ts\\.net(?::\\d+)?',
  },
]

const tunnelNames = tunnelPresets.map(({ name }) => name)

const installOne = `install one of ${tunnelNames.join(', ')}, or use a command of your own; a public URL that you have already requires no tunnel`

export const tunnelNotFound = (program: string) =>
  new CallyardError('usage', `the tunnel program ${program} was not found`, {
    code: 'tunnel-not-found',
    hint: installOne,
    details: { program, known: tunnelNames },
  })
