import type { Command } from 'commander'
import type { Terminal } from '../kit/terminal.ts'
import { changeCommands } from './guardrails/change.ts'
import { listCommand } from './guardrails/list.ts'
import { replayCommand } from './guardrails/replay.ts'

export function guardrailsCommand(program: Command, terminal: Terminal): void {
  const guardrails = program
    .command('guardrails')
    .description('Manage guardrails, and replay them against past requests')
  for (const add of [listCommand, changeCommands, replayCommand]) add(guardrails, terminal)
}
