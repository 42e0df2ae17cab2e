import { join } from 'node:path'
import type { Command } from 'commander'
import type { CatalogueData } from '#catalogue/index/model.ts'
import { keyRequiredText, ModelDiscovery } from '#catalogue/sources/discovery/model-discovery.ts'
import { readCatalogueFile } from '#catalogue/sources/format/format.ts'
import { findHints } from '#catalogue/sources/hints.ts'
import { type LoadReport, type RowNote, throwAsUserFacingError } from '#catalogue/sources/layer.ts'
import { loadCatalogue, modelsDevPath, readSource } from '#catalogue/sources/load.ts'
import { fetchModelsDev, modelsDevUrl, storeModelsDevFile } from '#catalogue/sources/sync.ts'
import { loadConfig } from '#platform/config/load.ts'
import { UserFacingError } from '#platform/core/fault.ts'
import { openDataDir } from '#platform/db/maintenance/data-dir.ts'
import { createOutgoingFetch } from '#platform/net/outgoing.ts'
import { readVariable } from '#platform/process/environment.ts'
import { quoteForShell } from '#platform/text/quote-for-shell.ts'
import { countWithNoun } from '../kit/format.ts'
import type { Terminal } from '../kit/terminal.ts'

export function catalogueCommand(catalogue: Command, terminal: Terminal): void {
  catalogue
    .command('sync')
    .description('Fetch models, providers and prices from models.dev')
    .option('--from <file>', 'Read from a file instead of the network')
    .option('--url <url>', 'URL to fetch from', modelsDevUrl)
    .option('--list', 'Also list every skipped row')
    .action((options: SyncOptions) => syncModelsDevFile(options, terminal).catch(throwAsUserFacingError))
  catalogue
    .command('check')
    .description('Check your catalogue file: list skipped rows, and models of servers with "discover"')
    .argument('<file>', 'Your catalogue file, YAML or JSON')
    .action((file: string) => checkFile(file, terminal).catch(throwAsUserFacingError))
}

type SyncOptions = { from?: string; url: string; list?: boolean }

async function syncModelsDevFile({ from, url, list }: SyncOptions, { env, out }: Terminal): Promise<void> {
  const config = loadConfig(env)
  const text = from ? await readSource(from) : await fetchModelsDev(url, createOutgoingFetch(config))
  const dataDir = openDataDir(config.data_dir, { exclusive: false, servesRequests: false })
  const path = modelsDevPath({ ...config, data_dir: dataDir.path })
  const report = await storeModelsDevFile(text, from ?? url, path)
  const skippedText = list ? report.skipped.map(formatNote).join('\n') : countByReason(report.skipped)
  out(`${countsText(report)}\n${skippedText}`)
  out(`Written to ${path}. ${reloadHint(dataDir.path)}`)
}

async function checkFile(file: string, { env, out }: Terminal): Promise<void> {
  // Read before the settings, so that the error for a missing file names the argument, not a setting.
  const text = await readSource(file)
  const config = loadConfig(env)
  const discovery = new ModelDiscovery({
    readVariable: (name) => readVariable(env, name),
    fetch: createOutgoingFetch(config),
  })
  const { data, report } = await loadCatalogue({ ...config, catalogue_file: file }, discovery)
  const problems = report.skipped.filter(({ source }) => source === file)
  for (const problem of problems) out(formatNote(problem))
  const skippedServers = report.skipped.filter(({ source }) => /^https?:/.test(source))
  const hints = [...findHints(readCatalogueFile(text, file)), ...skippedServers]
  for (const hint of hints) out(`hint: ${formatNote(hint)}`)
  for (const { slug } of data.providers.filter(({ discover }) => discover))
    out(`${slug}: ${modelsOfProvider(slug, data)}`)
  if (problems.length > 0)
    throw new UserFacingError(`${file}: ${countWithNoun(problems.length, 'row')} would be skipped.`)
  const refusingServers = skippedServers.filter(({ reason }) => reason.includes(keyRequiredText))
  if (refusingServers.length > 0) {
    const slugs = refusingServers.map(({ row }) => row).join(', ')
    throw new UserFacingError(`${file}: ${slugs}: no models were read, because the key is missing or was rejected.`)
  }
  out(`${file} is valid. With it, the catalogue has ${countsText(report)}`)
}

/** The maximum number of models listed for one provider. */
const maxNames = 20

/** Describes the models that a provider's server lists. */
function modelsOfProvider(slug: string, { models }: CatalogueData): string {
  const ids = models.flatMap(({ id, endpoints }) => (endpoints.some(({ provider }) => provider === slug) ? [id] : []))
  if (ids.length === 0) return 'no model'
  const moreText = ids.length > maxNames ? `, and ${ids.length - maxNames} more` : ''
  return `${countWithNoun(ids.length, 'model')}: ${ids.slice(0, maxNames).join(', ')}${moreText}`
}

function countsText({ models, endpoints, providers, merged, skipped }: LoadReport): string {
  return `${models} models with ${endpoints} endpoints from ${providers} providers; ${countWithNoun(merged, 'row')} merged, ${countWithNoun(skipped.length, 'row')} skipped.`
}

const formatNote = ({ source, line: lineNumber, row, reason }: RowNote) =>
  `${source}${lineNumber ? `:${lineNumber}` : ''}: ${row}: ${reason}`

function countByReason(skipped: readonly RowNote[]): string {
  const reasons = [...Map.groupBy(skipped, ({ reason }) => reason)].sort(([, a], [, b]) => b.length - a.length)
  return reasons.map(([reason, { length }]) => `  ${String(length).padStart(5)} skipped: ${reason}`).join('\n')
}

function reloadHint(folder: string): string {
  const signal = `kill -HUP $(cat ${quoteForShell(join(folder, 'server.pid'))})`
  return `To load it into a running server: ${signal}, or POST /api/v1/catalogue/reload with a management key.`
}
