import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { throwAsUserFacingError } from '#catalogue/sources/layer.ts'
import { loadCatalogue, readSource } from '#catalogue/sources/load.ts'
import { loadConfig } from '#platform/config/load.ts'
import { UserFacingError } from '#platform/core/fault.ts'
import { lazyModules } from '#platform/process/lazy-modules.ts'
import { createApiClient, hasManagementKey, managementKeyHelp } from '../kit/api-client.ts'
import type { Terminal } from '../kit/terminal.ts'
import { applyImport, hasNoObjects } from './litellm/apply.ts'
import { knownCatalogue } from './litellm/catalogue/known-catalogue.ts'
import { fromLitellm, type ImportResult } from './litellm.ts'

type Options = { out: string; dryRun?: boolean; freeUnlessPriced?: boolean }

export function importCommand(command: Command, terminal: Terminal): void {
  command
    .command('litellm')
    .argument('<config>', 'config.yaml of LiteLLM')
    .description(
      'Convert a LiteLLM config.yaml to a catalogue file, keys, guardrails and presets, and list what was not imported',
    )
    .option('--out <file>', 'Catalogue file to write. A file with other content is not overwritten', 'catalogue.yaml')
    .option('--dry-run', 'Print the result without writing anything')
    .option('--free-unless-priced', 'Set the price of models without one to 0')
    .addHelpText('after', `${managementKeyHelp}\n\nWithout SIGNALBOX_KEY, only the catalogue file is written.`)
    .action((config: string, options: Options) =>
      importLitellm(config, options, terminal).catch(throwAsUserFacingError),
    )
}

async function importLitellm(config: string, options: Options, { env, out }: Terminal): Promise<void> {
  const { data } = await loadCatalogue({ ...loadConfig(env), catalogue_file: undefined })
  const freeUnlessPriced = options.freeUnlessPriced === true
  const result = fromLitellm(await readSource(config), config, knownCatalogue(data), {
    now: new Date(),
    freeUnlessPriced,
  })
  const text = lazyModules.yaml().stringify(result.catalogue, { aliasDuplicateObjects: false })
  const { all, imported: count } = result.rows
  out(`Imported ${count} of ${all} rows of model_list.`)
  if (options.dryRun) out(`Content of ${options.out}:\n\n${text}`)
  else out(writeCatalogue(options.out, text))
  await createObjects(result, options, env, out)
  if (result.notes.length > 0) out('\nNot imported, or worth a check:')
  for (const note of result.notes) out(`  ${note}`)
}

async function createObjects(
  result: ImportResult,
  { out: file, dryRun }: Options,
  env: Terminal['env'],
  out: Terminal['out'],
) {
  if (hasNoObjects(result)) return
  const { objects, presets } = result
  if (dryRun) {
    const plan = lazyModules.yaml().stringify({ ...objects, presets }, { aliasDuplicateObjects: false })
    return out(`Objects to create in the service:\n\n${plan}`)
  }
  if (hasManagementKey(env)) return applyImport(createApiClient(env), result, out)
  out(
    `To create keys, guardrails and presets: start the service with CATALOGUE_FILE=${file}, set SIGNALBOX_KEY to a management key, and run this command again.`,
  )
}

/** Writes the catalogue file. A file that differs only in its `created` dates counts as equal. */
function writeCatalogue(file: string, text: string): string {
  const withoutDates = (content: string) => content.replace(/^ +created: .*$/gm, '')
  if (!existsSync(file)) {
    writeFileSync(file, text, { flag: 'wx', mode: 0o600 })
    return `Wrote ${file}. To check it: npx signalbox catalogue check ${file}`
  }
  if (withoutDates(readFileSync(file, 'utf8')) === withoutDates(text))
    return `${file} already exists with the same content.`
  throw new UserFacingError(`${file} already exists with other content: move it, or specify another file with --out.`)
}
