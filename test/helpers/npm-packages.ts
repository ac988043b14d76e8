import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { packedPackage } from '../../scripts/pack.js'

const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'] as const

/**
 * Set in continuous integration, where the registry must be reachable; elsewhere a machine without a network skips these tests.
 */
const isRequired = process.env.CALLWRIGHT_REQUIRE_REGISTRY !== undefined

/** A folder with the packed package installed, without any network. Its owner removes it. */
export async function installPackedLibrary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'callwright-library-'))
  await writeFile(join(folder, 'package.json'), '{ "name": "examples", "private": true }\n')
  await execa('npm', ['install', '--offline', ...quiet, await packedPackage()], { cwd: folder })
  return folder
}

/**
 * Installs packages that only these tests use, by their exact versions: as development dependencies they would more than double what
 * every contributor installs. Undefined, or why they cannot be installed.
 */
export async function installFromRegistry(
  folder: string,
  packages: readonly string[],
): Promise<string | undefined> {
  const { failed, stderr } = await execa('npm', ['install', ...quiet, ...packages], {
    cwd: folder,
    reject: false,
  })
  if (!failed) return undefined
  if (isRequired) throw new Error(`${packages.join(', ')} cannot be installed: ${stderr}`)
  return `${packages.join(', ')} cannot be installed without the registry`
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
