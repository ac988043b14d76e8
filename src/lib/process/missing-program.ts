import process from 'node:process'
import { type Environment, isInstalled } from '../environment.ts'

const isWindows = process.platform === 'win32'
/** First word of a command, if no shell changes it. */
const plainWord = isWindows ? /^\s*([\w@+.:\\/-]+)(?!\S)/ : /^\s*([\w@%+,.:/-]+)(?!\S)/

/**
 * Returns the program that a command of a shell starts with, if it does not exist: to report it before the command is needed. Undefined for
 * a command that does not start with a plain word; the shell reports it then.
 */
export async function findMissingProgram(
  command: string,
  { cwd, env }: { readonly cwd: string; readonly env: Environment },
): Promise<string | undefined> {
  const [, word] = plainWord.exec(command) ?? []
  if (word === undefined || (await isInstalled(word, env, cwd))) return undefined
  return /[\\/]/.test(word) || !(await mayBeBuiltin(word, env)) ? word : undefined
}

/** True if the shell knows the name, such as `cd` or `if`. cmd.exe cannot be asked. */
async function mayBeBuiltin(word: string, env: Environment): Promise<boolean> {
  if (isWindows) return true
  const { execa } = await import('execa')
  const { exitCode } = await execa('/bin/sh', ['-c', 'command -v "$0"', word], {
    ...{ env: { ...env }, extendEnv: false },
    ...{ stdio: 'ignore', reject: false },
  })
  return exitCode === 0
}
