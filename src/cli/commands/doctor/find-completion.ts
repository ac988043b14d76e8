import { basename, join } from 'node:path'
import type { Environment } from '../../../lib/environment.ts'
import { readSmallFile } from '../../../lib/fs/read-file.ts'
import { absoluteFolder, homeFolder } from '../../../lib/fs/user-folders.ts'
import { type Shell, scripts, shells } from '../completion/completion.ts'
import type { CompletionFacts } from './checks.ts'

/** Looks for the completion script of the user's shell where `callyard help shells` puts it, and for a line that loads it. */
export async function findCompletion(env: Environment): Promise<CompletionFacts> {
  const name = basename(env.SHELL ?? '').replace('pwsh', 'powershell')
  const shell = shells.find(candidate => candidate === name)
  if (shell === undefined) return { shell, file: undefined, state: 'missing' }
  const { file, profile } = installPaths(env.HOME || (homeFolder() ?? '/'), env)[shell]
  const script = file === undefined ? undefined : readText(file)
  if (script !== undefined) return { shell, file, state: script === scripts[shell] ? 'current' : 'stale' }
  const isLoaded =
    profile !== undefined && readText(profile)?.includes(`callyard completion ${shell}`) === true
  return { shell, file, state: isLoaded ? 'current' : 'missing' }
}

interface InstallPaths {
  readonly file: string | undefined
  readonly profile?: string
}

function installPaths(home: string, env: Environment): Readonly<Record<Shell, InstallPaths>> {
  const data = absoluteFolder(env.XDG_DATA_HOME) ?? join(home, '.local/share')
  const config = absoluteFolder(env.XDG_CONFIG_HOME) ?? join(home, '.config')
  return {
    bash: { file: join(data, 'bash-completion/completions/callyard'), profile: join(home, '.bashrc') },
    zsh: { file: join(home, '.zfunc/_callyard'), profile: join(home, '.zshrc') },
    fish: { file: join(config, 'fish/completions/callyard.fish') },
    powershell: { file: undefined, profile: join(config, 'powershell/Microsoft.PowerShell_profile.ps1') },
  }
}

function readText(file: string): string | undefined {
  try {
    return readSmallFile(file).toString('utf8')
  } catch {
    return undefined
  }
}
