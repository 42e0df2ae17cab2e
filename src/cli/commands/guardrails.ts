import type { Command } from 'commander'
import type { Terminal } from '../kit/terminal.ts'
import { changeCommands } from './guardrails/change.ts'
import { readCommands } from './guardrails/read.ts'
import { replayCommand } from './guardrails/replay.ts'

export function guardrailsCommand(guardrails: Command, terminal: Terminal): void {
  for (const add of [readCommands, changeCommands, replayCommand]) add(guardrails, terminal)
}
