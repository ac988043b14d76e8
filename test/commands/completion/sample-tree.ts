import { Argument, Command, Option } from '@commander-js/extra-typings'

/** A small tree with one of everything, and with descriptions that shells could trip over. */
export function sampleTree(): Command {
  const root = new Command('callwright')
    .version('1.0.0', '-V, --version', 'print the version')
    .helpCommand(false)
    .option('--profile <name>', 'profile to use')
    .option('--json', 'print JSON')
    .option('--timeout <duration>', 'such as 500ms')
  const hostile = `it's "[odd]" $HOME \`id\` \\n a:b {c} <d> ‘curly’ %s; $(id)`
  const tool = new Command('tool').description(hostile).helpCommand(false)
  tool
    .command('create')
    .argument('<file>', hostile)
    .description('create a tool')
    .option('--dry-run', hostile)
    .addOption(new Option('--hidden <x>', 'hidden').hideHelp())
  tool.command('update').argument('<id>', 'id of the tool').argument('<file>', 'the file')
  const webhook = new Command('webhook').description('webhooks').helpCommand(false)
  webhook
    .command('tail')
    .addOption(new Option('--until <state>', 'when to stop').choices(['finished', "it's over", 'a:b']))
    .option('-r, --record <file>', 'record into a file')
    .option('--path <path>', 'path of the URL')
    .option('--data-dir <folder>', 'where records go')
  const profile = new Command('profile').description('profiles').helpCommand(false)
  for (const verb of ['add', 'use', 'show']) profile.command(verb).argument('<name>', 'name of the profile')
  for (const command of [tool, webhook, profile]) root.addCommand(command)
  root.command('validate').argument('<path...>', 'files and folders').option('--kind <kind>', 'kind')
  root.addCommand(
    new Command('schema').addArgument(new Argument('<kind>', 'kind').choices(['assistant', 'tool'])),
  )
  root.addCommand(new Command('secret'), { hidden: true })
  root.addCommand(new Command('help').argument('[topic...]', 'topic').description('help'))
  return root
}
