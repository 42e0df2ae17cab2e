import type { Command } from 'commander'
import type { Terminal } from '../kit/terminal.ts'
import { createCommand } from './keys/create.ts'
import { listCommand } from './keys/list.ts'
import { resetManagementCommand } from './keys/reset-management.ts'
import { revokeCommand } from './keys/revoke.ts'

export function keysCommand(program: Command, terminal: Terminal): void {
  const keys = program.command('keys').description('Manage API keys and management keys')
  for (const add of [listCommand, createCommand, revokeCommand, resetManagementCommand]) add(keys, terminal)
}
