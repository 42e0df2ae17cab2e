import type { Command } from 'commander'
import type { Terminal } from '../kit/terminal.ts'
import { listCommand } from './requests/list.ts'
import { releaseCommand } from './requests/release.ts'
import { showCommand } from './requests/show.ts'

export function requestsCommand(program: Command, terminal: Terminal): void {
  const requests = program
    .command('requests')
    .description('Read the request log: outcomes, tokens and costs; release unconfirmed charges')
  for (const add of [listCommand, showCommand, releaseCommand]) add(requests, terminal)
}
