import type { Command } from 'commander'
import type { Terminal } from '../kit/terminal.ts'
import { createCommand } from './keys/create.ts'
import { listCommand } from './keys/list.ts'
import { resetManagementCommand } from './keys/reset-management.ts'
import { revokeCommand } from './keys/revoke.ts'

export function keysCommand(keys: Command, terminal: Terminal): void {
  for (const add of [listCommand, createCommand, revokeCommand, resetManagementCommand]) add(keys, terminal)
}
