import type { Command } from 'commander'
import type { Terminal } from '../kit/terminal.ts'
import { changeCommands } from './presets/change.ts'
import { readCommands } from './presets/read.ts'

export function presetsCommand(presets: Command, terminal: Terminal): void {
  for (const add of [readCommands, changeCommands]) add(presets, terminal)
}
