import type { Environment } from '../environment.ts'

declare const isForProgram: unique symbol

/** Environment of a program that callyard starts: see createProgramEnvironment. */
export type ProgramEnvironment = Environment & { readonly [isForProgram]: true }

/** Names of variables that programs need to run, to speak the user's language and to reach the network. */
const commonNames = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TMPDIR', 'TMP', 'TEMP', 'TZ', 'XDG_\\w+'],
  ...['LANG', 'LANGUAGE', 'LC_\\w+', 'TERM', 'COLORTERM', 'NO_COLOR', 'FORCE_COLOR', 'CLICOLOR(?:_FORCE)?'],
  ...['(?:HTTPS?|ALL|NO)_PROXY', 'SSL_CERT_(?:FILE|DIR)', 'NODE_EXTRA_CA_CERTS', 'NODE_USE_SYSTEM_CA'],
  ...['(?:CURL|REQUESTS)_CA_BUNDLE', 'LD_LIBRARY_PATH', 'CI', 'NODE_ENV'],
  // A notification appears on the desktop.
  ...['DISPLAY', 'WAYLAND_DISPLAY', 'DBUS_SESSION_BUS_ADDRESS'],
  // Windows does not run programs without them.
  ...[
    'SystemRoot',
    'SystemDrive',
    'windir',
    'ComSpec',
    'PATHEXT',
    'OS',
    'USERPROFILE',
    'HOMEDRIVE',
    'HOMEPATH',
  ],
  ...['APPDATA', 'LOCALAPPDATA', 'ALLUSERSPROFILE', 'ProgramData', 'ProgramW6432', 'PUBLIC', 'PSModulePath'],
  ...[
    '(?:Common)?ProgramFiles(?:\\(x86\\))?',
    'CommonProgramW6432',
    'USERNAME',
    'USERDOMAIN',
    'COMPUTERNAME',
  ],
  ...['NUMBER_OF_PROCESSORS', 'PROCESSOR_\\w+'],
  // A program may call callyard again.
  ...['CALLYARD_(?:BASE_URL|PROFILE|CONFIG_DIR|SAFE_DIRECTORY)'],
]
/** Windows ignores case in names, and proxies are often lower case. */
const commonName = new RegExp(`^(?:${commonNames.join('|')})$`, 'i')

/** Creates the environment of a program: variables that every program needs, and those of `names`. Secrets are not among them by default. */
export function createProgramEnvironment(
  env: Environment,
  names: readonly string[] = [],
): ProgramEnvironment {
  const allowed = Object.entries(env).filter(([name]) => commonName.test(name) || names.includes(name))
  return Object.fromEntries(allowed) as ProgramEnvironment
}
