import type { Command } from 'commander'
import { loadConfig } from '#platform/config/load.ts'
import { settingsTable, showConfig } from '#platform/config/show.ts'
import type { Terminal } from './terminal.ts'

export function configCommand(program: Command, { env, out }: Terminal): void {
  program
    .command('config')
    .description('Print the effective settings, with secrets masked')
    .option('--table', 'Print a description of all settings as a Markdown table instead')
    .action((options: { table?: boolean }) => out(options.table ? settingsTable() : showConfig(loadConfig(env))))
}
