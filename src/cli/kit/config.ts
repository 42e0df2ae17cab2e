import type { Command } from 'commander'
import { loadConfig } from '#platform/config/load.ts'
import { settingsTables, showConfig } from '#platform/config/show.ts'
import type { Terminal } from './terminal.ts'

export function configCommand(command: Command, { env, out }: Terminal): void {
  command
    .option('--table', 'Print a description of all settings as Markdown tables instead')
    .action((options: { table?: boolean }) => out(options.table ? settingsTables() : showConfig(loadConfig(env))))
}
