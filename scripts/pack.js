// node scripts/pack.js: packs what is built, once for publint, attw and every test that installs it.
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { modified } from './build-stamp.js'

const root = join(import.meta.dirname, '..')
const folder = join(root, '.packed')
const tarball = join(folder, 'callyard.tgz')

/** The path of the tarball. Several processes may ask at once: each that finds none packs one, and all are the same. */
export async function packedPackage() {
  await mkdir(folder, { recursive: true })
  if (await isCurrent()) return tarball
  const own = await mkdtemp(join(folder, 'new-'))
  // No scripts: `prepack` would build again.
  await execa('npm', ['pack', '--ignore-scripts', '--pack-destination', own], { cwd: root })
  const [name = ''] = await readdir(own)
  await rename(join(own, name), tarball)
  await rm(own, { recursive: true })
  return tarball
}

async function isCurrent() {
  // A build begins with removing dist/, and ends with the types of the library.
  const sources = [
    'package.json',
    'README.md',
    'completions',
    'bin',
    'dist',
    'dist/library',
    'docs',
    'skills/callyard',
    'llms.txt',
  ]
  const times = sources.map(name => modified(join(root, name)))
  return (await modified(tarball)) > Math.max(...(await Promise.all(times)))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await packedPackage()
