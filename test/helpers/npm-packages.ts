import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { packedPackage } from '../../scripts/pack.js'

const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'] as const

/**
 * Set in continuous integration, where the registry must be reachable; elsewhere a machine without a network skips these tests.
 */
const isRequired = process.env.CALLYARD_REQUIRE_REGISTRY !== undefined

interface LibraryFolder {
  readonly folder: string
  /** Why the packages of the registry cannot be installed. */
  readonly missing: string | undefined
}

/**
 * A folder with the packed package in its node_modules, as npm would put it there: it has no dependencies. Its owner removes it.
 * `e2e/package-managers.test.ts` and `e2e/action.test.ts` install it with npm. Packages of the registry that only one test uses are given
 * by their exact versions: as development dependencies they would more than double what every contributor installs.
 */
export async function installPackedLibrary(packages: readonly string[] = []): Promise<LibraryFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'callyard-library-'))
  await writeFile(join(folder, 'package.json'), '{ "name": "examples", "private": true }\n')
  // npm would remove a package that it has not installed.
  const missing = packages.length === 0 ? undefined : await installFromRegistry(folder, packages)
  const packageFolder = join(folder, 'node_modules/callyard')
  await mkdir(packageFolder, { recursive: true })
  await execa('tar', ['-xzf', await packedPackage(), '-C', packageFolder, '--strip-components', '1'])
  return { folder, missing }
}

async function installFromRegistry(folder: string, packages: readonly string[]): Promise<string | undefined> {
  const { failed, stderr } = await execa('npm', ['install', ...quiet, ...packages], {
    cwd: folder,
    reject: false,
  })
  if (!failed) return undefined
  if (isRequired) throw new Error(`${packages.join(', ')} cannot be installed: ${stderr}`)
  return 'no npm registry'
}

/** Runs a program in a folder, without the settings of this test run. Never rejects. */
export function runIn(folder: string, argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return execa(process.execPath, argv, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, NO_COLOR: '1', ...env },
    extendEnv: false,
    reject: false,
    all: true,
  })
}

/** Flags of a vitest that a test runs: a busy machine may need longer than its limits of a few seconds. */
export const patientVitest = ['--testTimeout=300000', '--hookTimeout=300000'] as const
