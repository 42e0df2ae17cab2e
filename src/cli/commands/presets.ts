import type { Command } from 'commander'
import type { Terminal } from '../kit/terminal.ts'
import { changeCommands } from './presets/change.ts'
import { readCommands } from './presets/read.ts'

export function presetsCommand(program: Command, terminal: Terminal): void {
  const presets = program.command('presets').description('Manage presets and their versions')
  for (const add of [readCommands, changeCommands]) add(presets, terminal)
}
