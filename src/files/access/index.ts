/** Access of files: the variables, files, commands and hosts that files use. */
export {
  type Access,
  accessToHosts,
  collectAccess,
  isEmptyAccess,
  mergeAccess,
  noAccess,
  runsCommands,
  subtractAccess,
} from './access.ts'
