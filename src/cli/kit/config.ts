import type { Command } from 'commander'
import { loadConfig } from '#platform/config/load.ts'
import { settingsTable, showConfig } from '#platform/config/show.ts'
import type { Terminal } from './terminal.ts'

export function configCommand(program: Command, { env, out }: Terminal): void {
  program
    .command('config')
    .description('print the settings in force, secrets masked')
    .option('--table', 'print what every setting means instead, as Markdown')
    .action((options: { table?: boolean }) => out(options.table ? settingsTable() : showConfig(loadConfig(env))))
}
