import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { TestTagDefinition } from 'vitest/config'

/** Debian's headless shell takes half of the processor time of the whole browser. */
export const chromiumPath =
  ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(existsSync) ?? '/usr/bin/chromium'

interface Program {
  /** Package that brings it. */
  readonly package: string
  /** Variable that makes it required: set, or with its name in a list. */
  readonly variable: `CALLYARD_REQUIRE_${string}`
  readonly isListed?: true
  readonly isPresent?: () => boolean
}

const shell = { variable: 'CALLYARD_REQUIRE_SHELLS', isListed: true } as const

/** Programs that some tests need, by the tag of these tests. */
const programs: Readonly<Record<string, Program>> = {
  chromium: {
    package: 'chromium-headless-shell',
    variable: 'CALLYARD_REQUIRE_BROWSER',
    isPresent: () => existsSync(chromiumPath),
  },
  'nats-server': { package: 'nats-server', variable: 'CALLYARD_REQUIRE_NATS' },
  zsh: { package: 'zsh', ...shell },
  fish: { package: 'fish', ...shell },
  groff: { package: 'groff', ...shell },
  jq: { package: 'jq', variable: 'CALLYARD_REQUIRE_SHELLS' },
  git: { package: 'git', variable: 'CALLYARD_REQUIRE_SHELLS' },
}

/** Tags for the configuration of Vitest: tests whose program is missing are skipped, unless it is required. */
export function programTags(env: NodeJS.ProcessEnv = process.env): TestTagDefinition[] {
  return Object.entries(programs).map(([name, program]) => ({
    name,
    description: `no ${name} (package ${program.package})`,
    skip: !isRequired(name, program, env) && !isPresent(name, program),
  }))
}

function isRequired(name: string, { variable, isListed }: Program, env: NodeJS.ProcessEnv): boolean {
  const value = env[variable] ?? ''
  return isListed ? value.split(' ').includes(name) : value !== ''
}

function isPresent(name: string, program: Program): boolean {
  return program.isPresent?.() ?? spawnSync(name, ['--version'], { stdio: 'ignore' }).error === undefined
}
