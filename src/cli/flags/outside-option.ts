import { Option } from 'commander'

/** `--allow-outside`, of every command that reads files of assistants, tools and knowledge bases: see FileRules. */
export function outsideOption(): Option {
  return new Option('--allow-outside', 'Let ${file:…} lead out of the project')
}
