/** Message and hint for a command with a variable of the file, whose value the shell would parse. */
export const commandVariable = {
  message: 'a variable of the environment cannot be part of a command',
  hint: 'the command has your environment: write $NAME instead of ${env:NAME}',
} as const
