import type { Command } from 'commander'
import { listCommand } from './requests/list.ts'
import { showCommand } from './requests/show.ts'
import type { Terminal } from './terminal.ts'

export function requestsCommand(program: Command, terminal: Terminal): void {
  const requests = program.command('requests').description('read the request log: what was asked, answered and paid')
  for (const add of [listCommand, showCommand]) add(requests, terminal)
}
