import type { Command } from 'commander'
import type { Terminal } from '../kit/terminal.ts'
import { listCommand } from './requests/list.ts'
import { releaseCommand } from './requests/release.ts'
import { showCommand } from './requests/show.ts'

export function requestsCommand(requests: Command, terminal: Terminal): void {
  for (const add of [listCommand, showCommand, releaseCommand]) add(requests, terminal)
}
