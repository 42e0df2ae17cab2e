import { budgetsOf, type Policies, sectionOf } from './litellm/budgets.ts'
import { CatalogueDraft, type CatalogueFile } from './litellm/catalogue.ts'
import { type LitellmConfig, readConfig } from './litellm/config.ts'
import { contentFiltersOf, filterFields } from './litellm/content-filters.ts'
import type { Known } from './litellm/known.ts'
import { Left } from './litellm/left.ts'
import { type PresetWanted, presetsOf } from './litellm/presets.ts'
import { tellParameters, tellSettings } from './litellm/settings.ts'

/** The result of importing a LiteLLM configuration, and a sentence for each part that could not be imported. */
export type Imported = {
  catalogue: CatalogueFile
  /** The number of rows of `model_list`, and of those that were imported. */
  rows: { all: number; taken: number }
  policies: Policies
  presets: PresetWanted[]
  left: string[]
}

export type Options = { now: Date; freeUnlessPriced: boolean }

/** @throws CatalogueRefused naming the line. */
export function fromLitellm(text: string, source: string, known: Known, { now, freeUnlessPriced }: Options): Imported {
  const config = readConfig(text, source)
  const left = new Left()
  const draft = new CatalogueDraft(known, left, { today: now.toISOString().slice(0, 10), freeUnlessPriced })
  const taken = takeRows(config, draft, left)
  takeAliases(config, draft, left)
  const presets = presetsOf(config, draft, left)
  const policies = budgetsOf(config, draft, left, now)
  takeFilters(config, policies, left)
  tellParameters(config, left)
  tellSettings(config, left)
  const rows = { all: config.rows.length, taken }
  return { catalogue: draft.finished(), rows, policies, presets, left: left.sentences() }
}

function takeRows({ rows }: LitellmConfig, draft: CatalogueDraft, left: Left): number {
  let taken = 0
  for (const { at, row } of rows) {
    const reason = row ? draft.take(row) : 'it has no model_name or no litellm_params.model'
    if (reason) left.add(`model_list[${at}]${row ? ` ${row.model_name}` : ''}`, reason)
    else taken++
  }
  return taken
}

/** `model_group_alias: {name: group}` or `{name: {model: group, hidden: true}}`. */
function takeAliases({ router }: LitellmConfig, draft: CatalogueDraft, left: Left): void {
  for (const [name, value] of Object.entries(sectionOf(router.model_group_alias) ?? {})) {
    const group = String(sectionOf(value)?.model ?? value)
    if (!draft.alias(name, group)) left.add(`model_group_alias ${name}`, `no row named ${group} was taken`)
  }
}

/** Filters that always apply go into the default guardrail of the workspace. The others wait to be assigned to keys. */
function takeFilters(config: LitellmConfig, policies: Policies, left: Left): void {
  const sets = contentFiltersOf(config, left)
  const always = sets.filter((set) => set.always)
  policies.defaults = { ...policies.defaults, ...filterFields(always) }
  for (const set of sets.filter((one) => !one.always)) {
    policies.guardrails.push({ name: `LiteLLM ${set.name}`, body: filterFields([set]) })
    left.add(`guardrails ${set.name}`, 'it is not default_on: put the keys under its guardrail that are to have it')
  }
}
