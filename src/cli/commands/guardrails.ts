import type { Command } from 'commander'
import type { Terminal } from '../kit/terminal.ts'
import { changeCommands } from './guardrails/change.ts'
import { listCommand } from './guardrails/list.ts'
import { replayCommand } from './guardrails/replay.ts'

export function guardrailsCommand(guardrails: Command, terminal: Terminal): void {
  for (const add of [listCommand, changeCommands, replayCommand]) add(guardrails, terminal)
}
