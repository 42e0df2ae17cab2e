import type { Command } from 'commander'
import type { Terminal } from '../kit/terminal.ts'
import { listCommand } from './passkeys/list.ts'
import { revokeCommand } from './passkeys/revoke.ts'

export function passkeysCommand(program: Command, terminal: Terminal): void {
  const passkeys = program.command('passkeys').description('List and revoke the passkeys with which members sign in')
  for (const add of [listCommand, revokeCommand]) add(passkeys, terminal)
}
