import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import process from 'node:process'

/** One running process of this machine. */
interface RunningProcess {
  readonly pid: number
  readonly parent: number
  /** Whether its environment has the mark; false where that cannot be read. */
  readonly isMarked: boolean
}

/**
 * A program and its descendants that run now: children by their parent, and by `mark`, an entry of their environment such as
 * `RUN=7f3a`, also those whose parent has ended or that left its group. On Windows the program alone.
 */
export function descendants(pid: number, mark: string): number[] {
  const all = readTable(mark)
  if (all === undefined) return isThere(pid) ? [pid] : []
  const found = new Set<number>()
  const add = (each: RunningProcess) => {
    if (found.has(each.pid) || each.pid === process.pid) return
    found.add(each.pid)
    for (const child of all) if (child.parent === each.pid) add(child)
  }
  for (const each of all) if (each.isMarked || each.pid === pid) add(each)
  return [...found]
}

/** Undefined where the system does not say. */
function readTable(mark: string): RunningProcess[] | undefined {
  if (process.platform === 'linux') return readProc(mark)
  if (process.platform === 'win32') return undefined
  const { status, stdout } = spawnSync('ps', ['-A', '-E', '-ww', '-o', 'pid=,ppid=,stat=,command='], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
  })
  return status === 0 ? parseProcessList(stdout, mark) : undefined
}

/** What `ps -A -E -ww -o pid=,ppid=,stat=,command=` of macOS prints: the environment stands behind the command. */
export function parseProcessList(text: string, mark: string): RunningProcess[] {
  return text.split('\n').flatMap(line => {
    const [, pid, parent, state = '', command = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s*(.*)$/.exec(line) ?? []
    if (pid === undefined || state.startsWith('Z')) return []
    return [{ pid: Number(pid), parent: Number(parent), isMarked: ` ${command} `.includes(` ${mark} `) }]
  })
}

function readProc(mark: string): RunningProcess[] {
  return readdirSync('/proc').flatMap(name => {
    if (!/^\d+$/.test(name)) return []
    try {
      // The name of the program stands in brackets, and may have brackets and spaces in it.
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      if (state === 'Z' || state === 'X') return []
      return [{ pid: Number(name), parent: Number(parent), isMarked: hasMark(name, mark) }]
    } catch {
      // It has ended meanwhile.
      return []
    }
  })
}

function hasMark(pid: string, mark: string): boolean {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}\0`.includes(`\0${mark}\0`)
  } catch {
    // Of another user, or with rights of its own.
    return false
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
