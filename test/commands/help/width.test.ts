import type { Command } from 'commander'
import { expect, test } from 'vitest'
import type { Sink } from '../../../src/context.ts'
import { buildProgram } from '../../../src/program.ts'

test('the help of every command fits into 80 columns', () => {
  const { program, printed } = open()
  const commands = allOf(program)
  expect(commands.length).toBeGreaterThan(20)
  const wide = commands.flatMap(command =>
    printed(() => command.outputHelp())
      .split('\n')
      .filter(line => line.length > 80)
      .map(line => `${nameOf(command)}: ${line}`),
  )
  expect(wide).toEqual([])
})

function open() {
  let text = ''
  const sink: Sink = {
    columns: 80,
    write: piece => {
      text += piece
    },
  }
  return {
    program: buildProgram(async () => {}, { stdout: sink, stderr: sink }),
    printed(print: () => void): string {
      text = ''
      print()
      return text
    },
  }
}

function allOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allOf)]
}

function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`
}
