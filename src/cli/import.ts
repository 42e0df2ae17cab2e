import { writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { CatalogueRefused } from '#catalogue/layer.ts'
import { readSource } from '#catalogue/load.ts'
import { StartupError } from '#lib/fault.ts'
import { onDemand } from '#lib/on-demand.ts'
import { fromLitellm } from './import/litellm.ts'
import type { Terminal } from './terminal.ts'

export function importCommand(program: Command, terminal: Terminal): void {
  program
    .command('import')
    .description('take over the configuration of another gateway')
    .command('litellm <config>')
    .description('write a catalogue file from a LiteLLM config.yaml, and list what could not be taken')
    .option('--out <file>', 'what to write; it must not be there yet', 'catalogue.yaml')
    .action((config: string, { out: file }: { out: string }) => litellm(config, file, terminal))
}

async function litellm(config: string, file: string, { out }: Terminal): Promise<void> {
  try {
    const { catalogue, left } = fromLitellm(await readSource(config), config, new Date().toISOString().slice(0, 10))
    writeFileSync(file, onDemand.yaml().stringify(catalogue), { flag: 'wx', mode: 0o600 })
    out(`Written to ${file}: ${Object.keys(catalogue.models).length} models. Not taken, or to be looked at:`)
    for (const sentence of left) out(`  ${sentence}`)
    out(`Check it with: npx signalbox catalogue check ${file}`)
  } catch (error) {
    if (error instanceof CatalogueRefused) throw new StartupError(error.message)
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw new StartupError(`${file} is there already.`)
    throw error
  }
}
