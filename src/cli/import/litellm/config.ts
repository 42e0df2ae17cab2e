import { z } from 'zod'
import { parseSource } from '#catalogue/document.ts'
import { CatalogueRefused } from '#catalogue/layer.ts'

const Text = z.string().min(1)
const Section = z.looseObject({}).nullish()

/** A row of `model_list`. LiteLLM's Pydantic models take more; what is read here is named, the rest stays beside it. */
const Row = z.object({
  model_name: Text,
  litellm_params: z.looseObject({
    model: Text,
    custom_llm_provider: Text.nullish(),
    api_base: Text.nullish(),
    api_key: Text.nullish(),
  }),
  model_info: Section,
})
export type Row = z.infer<typeof Row>
export type Section = Record<string, unknown>

const Config = z.looseObject({
  model_list: z.array(z.unknown()).nullish(),
  guardrails: z.array(z.unknown()).nullish(),
  litellm_settings: Section,
  general_settings: Section,
  router_settings: Section,
})

export type LitellmConfig = {
  /** With its place in `model_list`; a broken one has a reason instead. */
  rows: { at: number; row?: Row }[]
  guardrails: unknown[]
  litellm: Section
  general: Section
  router: Section
  /** Sections that nobody here knows. */
  others: Section
}

/** @throws CatalogueRefused naming the line, where it is not YAML or not a configuration of LiteLLM at all. */
export function readConfig(text: string, source: string): LitellmConfig {
  const { value, lineOf } = parseSource(text, source)
  const parsed = Config.safeParse(value ?? {})
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!
    const where = `line ${lineOf(path) ?? 1}${path.length > 0 ? `: ${path.join('.')}` : ''}`
    throw new CatalogueRefused(`${source} is no configuration of LiteLLM: ${where}: ${message}.`)
  }
  const { model_list, guardrails, litellm_settings, general_settings, router_settings, ...others } = parsed.data
  return {
    rows: (model_list ?? []).map((given, at) => {
      const row = Row.safeParse(given)
      return row.success ? { at, row: row.data } : { at }
    }),
    guardrails: guardrails ?? [],
    litellm: litellm_settings ?? {},
    general: general_settings ?? {},
    router: router_settings ?? {},
    others,
  }
}
