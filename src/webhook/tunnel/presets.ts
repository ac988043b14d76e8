/** A tunnel program whose words we know. */
export interface TunnelPreset {
  readonly name: string
  readonly file: string
  arguments(port: number): readonly string[]
  /** Its first group is the public URL, in a line of what it prints. */
  readonly pattern: RegExp
}

/** In the order in which they are looked for: those that need no account first, what is there for other ends last. */
export const tunnelPresets: readonly TunnelPreset[] = [
  {
    name: 'cloudflared',
    file: 'cloudflared',
    arguments: port => ['tunnel', '--no-autoupdate', '--url', `http://127.0.0.1:${port}`],
    // INF |  https://four-random-words-here.trycloudflare.com  |; its errors name the api.
    pattern: /(https:\/\/(?!api\.)[a-z0-9-]+\.trycloudflare\.com)/,
  },
  {
    name: 'localtunnel',
    file: 'lt',
    arguments: port => ['--port', String(port), '--local-host', '127.0.0.1'],
    pattern: /your url is: (https?:\/\/\S+)/,
  },
  {
    name: 'ngrok',
    file: 'ngrok',
    arguments: port => ['http', `127.0.0.1:${port}`, '--log', 'stdout', '--log-format', 'logfmt'],
    // lvl=info msg="started tunnel" obj=tunnels name=command_line addr=http://localhost:4011 url=https://….ngrok-free.app
    pattern: /msg="started tunnel".*\burl=(https?:\/\/\S+)/,
  },
  {
    name: 'devtunnel',
    file: 'devtunnel',
    arguments: port => ['host', '--port-numbers', String(port), '--allow-anonymous'],
    // Connect via browser: https://abc.usw2.devtunnels.ms:4011, https://abc-4011.usw2.devtunnels.ms
    pattern: /Connect via browser:.*?(https:\/\/[a-z0-9-]+-\d+\.[a-z0-9.-]*devtunnels\.ms)(?!:)/,
  },
  {
    name: 'tailscale',
    file: 'tailscale',
    arguments: port => ['funnel', String(port)],
    // Available on the internet: (line end) https://machine.tailnet.ts.net/
    pattern: /(https:\/\/[a-z0-9-]+\.[a-z0-9-]+\.ts\.net(?::\d+)?)/,
  },
]

/** The preset of this name, which may also be the program's. */
export function presetNamed(name: string): TunnelPreset | undefined {
  return tunnelPresets.find(preset => preset.name === name || preset.file === name)
}
