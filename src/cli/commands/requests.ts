import type { Command } from 'commander'
import type { Terminal } from '../kit/terminal.ts'
import { listCommand } from './requests/list.ts'
import { showCommand } from './requests/show.ts'

export function requestsCommand(program: Command, terminal: Terminal): void {
  const requests = program.command('requests').description('read the request log: what was asked, answered and paid')
  for (const add of [listCommand, showCommand]) add(requests, terminal)
}
