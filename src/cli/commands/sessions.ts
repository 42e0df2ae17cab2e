import type { Command } from 'commander'
import type { Terminal } from '../kit/terminal.ts'
import { endCommand } from './sessions/end.ts'
import { linkCommand } from './sessions/link.ts'
import { listCommand } from './sessions/list.ts'

export function sessionsCommand(program: Command, terminal: Terminal): void {
  const sessions = program.command('sessions').description('Manage browser sessions, and create sign-in links')
  for (const add of [listCommand, endCommand, linkCommand]) add(sessions, terminal)
}
