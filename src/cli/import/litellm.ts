import { importBudgets, type ObjectsToCreate } from './litellm/budgets.ts'
import { CatalogueDraft, type CatalogueFile } from './litellm/catalogue/catalogue-draft.ts'
import type { KnownCatalogue } from './litellm/catalogue/known-catalogue.ts'
import { type LitellmConfig, readConfig, sectionOf } from './litellm/config.ts'
import { filterFields, importContentFilters } from './litellm/content-filters.ts'
import { ImportNotes } from './litellm/import-notes.ts'
import { importPresets, type NewPreset } from './litellm/presets.ts'
import { weightOf } from './litellm/row-fields.ts'
import { noteParameters, noteSettings } from './litellm/settings.ts'

/** The result of importing a LiteLLM configuration, with a note for each part that was not imported. */
export type ImportResult = {
  catalogue: CatalogueFile
  /** The number of rows of `model_list`, and of those that were imported. */
  rows: { all: number; imported: number }
  objects: ObjectsToCreate
  presets: NewPreset[]
  notes: string[]
}

type Options = { now: Date; freeUnlessPriced: boolean }

/** Converts a LiteLLM configuration. @throws CatalogueError with the line of the error */
export function fromLitellm(
  text: string,
  source: string,
  catalogue: KnownCatalogue,
  { now, freeUnlessPriced }: Options,
): ImportResult {
  const config = readConfig(text, source)
  const notes = new ImportNotes()
  const draft = new CatalogueDraft(catalogue, notes, {
    today: now.toISOString().slice(0, 10),
    freeUnlessPriced,
    weightedNames: findWeightedNames(config),
  })
  const imported = importRows(config, draft, notes)
  importAliases(config, draft, notes)
  const presets = importPresets(config, draft, notes)
  const objects = importBudgets(config, draft, notes, now)
  importFilters(config, objects, notes)
  noteParameters(config, notes)
  noteSettings(config, notes)
  const rows = { all: config.rows.length, imported }
  return { catalogue: draft.toFile(), rows, objects, presets, notes: notes.sentences() }
}

/** The names that several rows share, of which at least one has a weight. */
function findWeightedNames({ rows }: LitellmConfig): Set<string> {
  const valid = rows.flatMap(({ row }) => row ?? [])
  const weighted = valid.filter((row) => (weightOf(row) ?? 0) > 0).map(({ model_name }) => model_name)
  return new Set(weighted.filter((name) => valid.filter(({ model_name }) => model_name === name).length > 1))
}

function importRows({ rows }: LitellmConfig, draft: CatalogueDraft, notes: ImportNotes): number {
  let imported = 0
  for (const { index, row } of rows) {
    const reason = row ? draft.importRow(row) : 'it has no model_name or no litellm_params.model'
    if (reason) notes.add(`model_list[${index}]${row ? ` ${row.model_name}` : ''}`, reason)
    else imported++
  }
  return imported
}

/** `model_group_alias: {name: group}` or `{name: {model: group, hidden: true}}`. */
function importAliases({ router }: LitellmConfig, draft: CatalogueDraft, notes: ImportNotes): void {
  for (const [name, value] of Object.entries(sectionOf(router.model_group_alias) ?? {})) {
    const group = String(sectionOf(value)?.model ?? value)
    if (!draft.addAlias(name, group)) notes.add(`model_group_alias ${name}`, `no row named ${group} was imported`)
  }
}

/** Adds filters with default_on to the default guardrail of each workspace, the others to separate guardrails. */
function importFilters(config: LitellmConfig, objects: ObjectsToCreate, notes: ImportNotes): void {
  const sets = importContentFilters(config, notes)
  const defaultSets = sets.filter((set) => set.isDefaultOn)
  objects.defaults = { ...objects.defaults, ...filterFields(defaultSets) }
  for (const workspace of objects.workspaces)
    workspace.defaults = { ...workspace.defaults, ...filterFields(defaultSets) }
  for (const set of sets.filter(({ isDefaultOn }) => !isDefaultOn)) {
    objects.guardrails.push({ name: `LiteLLM ${set.name}`, body: filterFields([set]) })
    notes.add(`guardrails ${set.name}`, 'not default_on: assign its guardrail to the keys that need it')
  }
}
