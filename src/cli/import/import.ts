import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { CatalogueRefused } from '#catalogue/sources/layer.ts'
import { loadCatalogue, readSource } from '#catalogue/sources/load.ts'
import { loadConfig } from '#platform/config/load.ts'
import { StartupError } from '#platform/core/fault.ts'
import { lazyModules } from '#platform/process/lazy-modules.ts'
import { apiClient, clientHelp } from '../kit/api-client.ts'
import type { Terminal } from '../kit/terminal.ts'
import { apply, isNothing } from './litellm/apply.ts'
import { knownFrom } from './litellm/known.ts'
import { fromLitellm, type Imported } from './litellm.ts'

type Options = { out: string; dryRun?: boolean; freeUnlessPriced?: boolean }

export function importCommand(program: Command, terminal: Terminal): void {
  program
    .command('import')
    .description('take over the configuration of another gateway')
    .command('litellm <config>')
    .description(
      'make catalogue, keys, guardrails and presets of a LiteLLM config.yaml, and list what could not be taken',
    )
    .option('--out <file>', 'the catalogue file to write; one of other content is left alone', 'catalogue.yaml')
    .option('--dry-run', 'write and make nothing: print what would be')
    .option('--free-unless-priced', 'models without a price cost nothing')
    .addHelpText('after', `${clientHelp}\n\nWithout SIGNALBOX_KEY only the catalogue file is written.`)
    .action((config: string, options: Options) => litellm(config, options, terminal).catch(inOneSentence))
}

async function litellm(config: string, options: Options, { env, out }: Terminal): Promise<void> {
  const { data } = await loadCatalogue({ ...loadConfig(env), catalogue_file: undefined })
  const freeUnlessPriced = options.freeUnlessPriced === true
  const imported = fromLitellm(await readSource(config), config, knownFrom(data), { now: new Date(), freeUnlessPriced })
  const text = lazyModules.yaml().stringify(imported.catalogue, { aliasDuplicateObjects: false })
  const { all, taken } = imported.rows
  out(`${taken} of ${all} rows of model_list are taken.`)
  if (options.dryRun) out(`${options.out} would be:\n\n${text}`)
  else out(write(options.out, text))
  await makeRest(imported, options, env, out)
  if (imported.left.length > 0) out('\nNot taken, or to be looked at:')
  for (const sentence of imported.left) out(`  ${sentence}`)
}

async function makeRest(
  imported: Imported,
  { out: file, dryRun }: Options,
  env: Terminal['env'],
  out: Terminal['out'],
) {
  if (isNothing(imported)) return
  const { policies, presets } = imported
  if (dryRun) {
    const plan = lazyModules.yaml().stringify({ ...policies, presets }, { aliasDuplicateObjects: false })
    return out(`At the service there would be made:\n\n${plan}`)
  }
  if (env.SIGNALBOX_KEY) return apply(apiClient(env), imported, out)
  out(
    `Keys, guardrails and presets are made at the running service: start it with CATALOGUE_FILE=${file}, set SIGNALBOX_KEY`,
  )
  out('to its management key, and run this command again.')
}

/** A file that says the same, whatever the day it was written, is the one that is wanted. */
function write(file: string, text: string): string {
  const undated = (content: string) => content.replace(/^ +created: .*$/gm, '')
  if (!existsSync(file)) {
    writeFileSync(file, text, { flag: 'wx', mode: 0o600 })
    return `Written to ${file}. Check it with: npx signalbox catalogue check ${file}`
  }
  if (undated(readFileSync(file, 'utf8')) === undated(text)) return `${file} is there already, as it would be written.`
  throw new StartupError(`${file} is there already, and says something else: move it away, or name another with --out.`)
}

function inOneSentence(error: unknown): never {
  throw error instanceof CatalogueRefused ? new StartupError(error.message) : error
}
